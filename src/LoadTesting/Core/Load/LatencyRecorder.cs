namespace LoadTesting.Core.Load;

/// <summary>
/// Records durations from many threads without contention or allocation: each thread writes to the stripe of its processor, and moves
/// on to the next where that one is held by a thread that was taken off its processor. <see cref="Snapshot"/> merges the stripes.
/// </summary>
public sealed class LatencyRecorder
{
    private readonly StripeSet<LatencyHistogram> _stripes = new(() => new LatencyHistogram());

    /// <summary>Adds one duration; negative counts as zero.</summary>
    public void Record(TimeSpan duration)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.Record(duration);
    }

    /// <summary>Adds a difference of two <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> values; negative counts as zero.</summary>
    public void RecordStopwatchTicks(long elapsedTicks)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.RecordStopwatchTicks(elapsedTicks);
    }

    /// <summary>Everything recorded so far; a copy that later recording does not change.</summary>
    public LatencyHistogram Snapshot()
    {
        var whole = new LatencyHistogram();
        _stripes.ForEach(whole.Merge);
        return whole;
    }
}
