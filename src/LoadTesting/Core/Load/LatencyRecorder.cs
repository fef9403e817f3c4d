using System.Numerics;

namespace LoadTesting.Core.Load;

/// <summary>
/// Records durations from many threads without contention or allocation: each thread writes to the stripe of its processor, and moves
/// on to the next where that one is held by a thread that was taken off its processor. <see cref="Snapshot"/> merges the stripes.
/// </summary>
public sealed class LatencyRecorder
{
    private readonly StripeSet<LatencyHistogram> _stripes = new(() => new LatencyHistogram());

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

/// <summary>One value per processor, each behind a lock that is all but never waited for.</summary>
internal sealed class StripeSet<T>
    where T : class
{
    private const int MaximumStripes = 32;

    private readonly Stripe[] _stripes;

    internal StripeSet(Func<T> create)
    {
        var count = BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(Environment.ProcessorCount, 1, MaximumStripes));
        _stripes = [.. Enumerable.Range(0, (int)count).Select(_ => new Stripe(create()))];
    }

    /// <summary>Holds one stripe until the result is disposed; do nothing else meanwhile.</summary>
    internal Holding Enter()
    {
        var mask = _stripes.Length - 1;
        var start = Thread.GetCurrentProcessorId();
        for (var step = 0; step < _stripes.Length; step++)
        {
            var stripe = _stripes[(start + step) & mask];
            if (stripe.Gate.TryEnter())
            {
                return new Holding(stripe);
            }
        }

        var own = _stripes[start & mask];
        own.Gate.Enter();
        return new Holding(own);
    }

    internal void ForEach(Action<T> visit)
    {
        foreach (var stripe in _stripes)
        {
            lock (stripe.Gate)
            {
                visit(stripe.Value);
            }
        }
    }

    internal readonly ref struct Holding(Stripe stripe)
    {
        internal T Value => stripe.Value;

        public void Dispose() => stripe.Gate.Exit();
    }

    internal sealed class Stripe(T value)
    {
        internal Lock Gate { get; } = new();

        internal T Value { get; } = value;
    }
}
