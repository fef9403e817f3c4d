namespace LoadTesting.Core.Load.Histograms;

/// <summary>
/// Records durations from many threads without contention or allocation. Each thread writes to the stripe of its
/// processor, or to the next one if a preempted thread holds it. <see cref="Snapshot"/> merges the stripes.
/// </summary>
public sealed class LatencyRecorder
{
    private readonly StripeSet<LatencyHistogram> _stripes = new(() => new LatencyHistogram());

    public void Record(TimeSpan duration)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.Record(duration);
    }

    /// <summary>
    /// Adds a difference of two <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> values; negative counts as
    /// zero.
    /// </summary>
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
