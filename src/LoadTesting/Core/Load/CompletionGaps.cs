namespace LoadTesting.Core.Load;

/// <summary>The longest times without a completion in a closed model. Gaps under 10 ms are not looked at, and only the longest are kept.</summary>
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
        return timeShare >= limits.MinimumTimeShare && seenShare < limits.MaximumSeenShare && seenShare < limits.MaximumSeenRatio * timeShare
            ? new HiddenStall(stalls.Length, total, stalls.Max(stall => stall.Length), timeShare, seen, Expected(service.Count, total, duration), service.Count)
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
