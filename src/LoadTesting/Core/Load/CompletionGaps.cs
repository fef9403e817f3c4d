using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>
/// The longest times without a completion in a closed model. Gaps under 10 ms are not looked at, and only the longest are kept.
/// </summary>
internal sealed class CompletionGaps
{
    private const int Kept = 256;

    private static readonly long s_shortest = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(10));

    private readonly PriorityQueue<int, long> _longest = new();
    private readonly Lock _gate = new();
    private long _last;
    private int _copies;

    /// <summary>A simulation starts at <paramref name="timestamp"/> with that many copies.</summary>
    internal void Restart(long timestamp, int copies)
    {
        _copies = copies;
        Volatile.Write(ref _last, timestamp);
    }

    internal void Completed(long timestamp)
    {
        // Two threads may arrive in the wrong order; the difference is then negative and no gap.
        var gap = timestamp - Interlocked.Exchange(ref _last, timestamp);
        if (gap >= s_shortest)
        {
            Keep(gap);
        }
    }

    /// <summary>What the gaps amount to, or null where nothing is hidden.</summary>
    internal HiddenStall? Judge(LatencyHistogram service, TimeSpan duration, HiddenStallLimits limits)
    {
        if (limits.MedianFactor is not { } factor || service.Count == 0 || duration <= TimeSpan.Zero)
        {
            return null;
        }

        (int Copies, TimeSpan Length)[] stalls;
        lock (_gate)
        {
            stalls = [.. _longest.UnorderedItems.Select(gap => (gap.Element, StopwatchTime.ToTimeSpan(gap.Priority)))
                .Where(gap => gap.Item2.TotalMilliseconds >= factor * service.PercentileMs(50))];
        }

        if (stalls.Length == 0)
        {
            return null;
        }

        var total = TimeSpan.FromTicks(stalls.Sum(stall => stall.Length.Ticks));
        var timeShare = total / duration;
        var seen = Math.Min(stalls.Sum(stall => (long)stall.Copies), service.Count);
        var seenShare = (double)seen / service.Count;
        return timeShare >= limits.MinimumTimeShare && seenShare < limits.MaximumSeenShare
            && seenShare < limits.MaximumSeenRatio * timeShare
            ? new HiddenStall(stalls.Length, total, stalls.Max(stall => stall.Length), timeShare, seen,
                Expected(service.Count, total, duration), service.Count)
            : null;
    }

    private static long Expected(long count, TimeSpan stalled, TimeSpan duration) =>
        stalled < duration ? (long)(count / (duration - stalled).TotalSeconds * stalled.TotalSeconds) : count;

    private void Keep(long gap)
    {
        lock (_gate)
        {
            _longest.Enqueue(_copies, gap);
            if (_longest.Count > Kept)
            {
                _longest.Dequeue();
            }
        }
    }
}

/// <summary>
/// A stall that a closed model hides: nobody asked while nothing was answered, so the few iterations caught in it vanish from the
/// percentiles (coordinated omission).
/// </summary>
/// <param name="Stalls">How many gaps without a completion there were.</param>
/// <param name="Total">How long they lasted together.</param>
/// <param name="TimeShare">Their share of the run, 0 to 1.</param>
/// <param name="IterationsThatSawIt">Iterations that were in flight during them.</param>
/// <param name="IterationsExpected">Iterations that would have met them at the pace outside them.</param>
/// <param name="Iterations">Iterations that ended in all.</param>
public sealed record HiddenStall(
    int Stalls, TimeSpan Total, TimeSpan Longest, double TimeShare, long IterationsThatSawIt, long IterationsExpected, long Iterations)
{
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"closed model hides it: {Total.TotalSeconds:0.00} s stall ({100 * TimeShare:0.#} % of the run) seen by only {IterationsThatSawIt} "
        + $"of {Iterations} iterations; at the pace outside it {IterationsExpected} would have met it");
}

/// <summary>
/// When a closed model is said to hide a stall (coordinated omission). All four must hold; null for the first switches the check off.
/// </summary>
public sealed record HiddenStallLimits
{
    /// <summary>
    /// A gap without any completion, while work was in flight, counts from this multiple of the median service time. Default 10; null:
    /// never look.
    /// </summary>
    public double? MedianFactor { get; init; } = 10;

    /// <summary>All such gaps together last at least this share of the run, 0 to 1. Default 0.01, what a p99 ought to see.</summary>
    public double MinimumTimeShare { get; init; } = 0.01;

    /// <summary>
    /// Less than this share of the iterations saw them, 0 to 1. Default 0.01: more than that, and the p99 shows the stall.
    /// </summary>
    public double MaximumSeenShare { get; init; } = 0.01;

    /// <summary>The stall is hidden where the share of iterations that saw it is below this part of its share of time. Default 0.5; an open
    /// model comes to about 1.</summary>
    public double MaximumSeenRatio { get; init; } = 0.5;
}
