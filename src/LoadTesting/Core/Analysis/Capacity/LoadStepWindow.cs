namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Counts the operations of one measurement on one clock, by when each was due and when it ended, in bins of 50 ms. The
/// number in flight at the edge of a bin follows from the sums, so no sampler can be late. An operation that is due and
/// whose body has not begun is in flight.
/// </summary>
internal sealed class LoadStepWindow
{
    private static readonly long s_bin = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(50));

    private readonly long[] _due;
    private readonly long[] _begun;
    private readonly long[] _ended;
    private readonly int _first;
    private readonly LatencyRecorder _latency = new();
    private long _completed;
    private long _origin;

    internal LoadStepWindow(TimeSpan warmUp, TimeSpan window)
    {
        _first = (int)Math.Ceiling((double)StopwatchTime.FromTimeSpan(warmUp) / s_bin);
        var bins = _first + Math.Max(1, (int)Math.Ceiling((double)StopwatchTime.FromTimeSpan(window) / s_bin));
        (_due, _begun, _ended) = (new long[bins], new long[bins], new long[bins]);
    }

    /// <summary>From the beginning of the warm-up to the end of the window.</summary>
    internal TimeSpan Whole => StopwatchTime.ToTimeSpan(_due.Length * s_bin);

    /// <summary>A number of whole bins, so slightly longer than the requested window.</summary>
    internal TimeSpan Length => StopwatchTime.ToTimeSpan((_due.Length - _first) * s_bin);

    /// <summary>Successes that ended in the window.</summary>
    internal long Completed => Volatile.Read(ref _completed);

    /// <summary>Latency of the successes that were due in the window, whenever they ended.</summary>
    internal LatencyHistogram Latency => _latency.Snapshot();

    /// <summary>An operation is due. The first one begins the warm-up.</summary>
    internal void RecordDue(long intended)
    {
        Interlocked.CompareExchange(ref _origin, intended, 0);
        Count(_due, intended);
    }

    /// <summary>The body of an operation begins.</summary>
    internal void RecordBegin(long timestamp) => Count(_begun, timestamp);

    internal void RecordEnd(long intended, long end, bool isOk)
    {
        var bin = Count(_ended, end);
        if (isOk && bin >= _first && bin < _ended.Length)
        {
            Interlocked.Increment(ref _completed);
        }

        if (isOk && BinOf(intended) is var due && due >= _first && due < _due.Length)
        {
            _latency.RecordStopwatchTicks(end - intended);
        }
    }

    /// <summary>The slope of what is in flight over the window, per second; null from too few bins.</summary>
    internal LinearTrend? InFlightTrend() => Trend(_due);

    /// <summary>
    /// The slope of the operations whose body has begun and not ended, per second; null from too few bins.
    /// </summary>
    internal LinearTrend? BegunTrend() => Trend(_begun);

    private LinearTrend? Trend(long[] arrivals)
    {
        var points = new List<(double Seconds, double InFlight)>();
        var inFlight = 0L;
        for (var bin = 0; bin < _due.Length; bin++)
        {
            inFlight += Volatile.Read(ref arrivals[bin]) - Volatile.Read(ref _ended[bin]);
            if (bin >= _first)
            {
                points.Add((StopwatchTime.ToTimeSpan((bin + 1) * s_bin).TotalSeconds, inFlight));
            }
        }

        return LinearTrend.Of(points);
    }

    private long BinOf(long timestamp) => Math.Max(0, timestamp - _origin) / s_bin;

    private long Count(long[] bins, long timestamp)
    {
        var bin = BinOf(timestamp);
        if (bin < bins.Length)
        {
            Interlocked.Increment(ref bins[bin]);
        }

        return bin;
    }
}
