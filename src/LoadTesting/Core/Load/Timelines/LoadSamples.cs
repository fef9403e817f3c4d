namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// Samples taken beside a load: thread pool delays, pauses, readings of a source. Safe for concurrent use.
/// </summary>
internal sealed class LoadSamples(long origin)
{
    // Per kind, so that frequent pauses do not displace those of another kind.
    private const int MostPauses = 10_000;
    private const int MostWaits = 5;
    private const int MostReadings = 4 * TimelineResult.MostPoints;

    /// <summary>Shorter pauses are not kept, in Stopwatch ticks.</summary>
    internal static readonly long ShortestPause = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(50));

    private readonly SecondSlots<LatencyHistogram> _pool =
        new(() => new LatencyHistogram(), (one, other) => one.Merge(other));
    private readonly LatencyHistogram _poolTotal = new();
    private readonly List<Pause>[] _pauses = [.. Enum.GetValues<PauseKind>().Select(_ => new List<Pause>())];
    private readonly List<(long At, TimelineReading Reading)> _readings = [];
    private readonly Lock _gate = new();
    private (long Count, string Message) _failures;
    private long _readingsSeen;
    private int _readingsKeptOf = 1;

    /// <summary>All thread pool delays so far.</summary>
    internal LatencyHistogram PoolDelay()
    {
        lock (_gate)
        {
            return LatencyHistogram.MergeAll([_poolTotal]);
        }
    }

    /// <summary>Adds the delay of a work item, from queuing to running, in Stopwatch ticks.</summary>
    internal void AddPoolDelay(long queued, long run)
    {
        lock (_gate)
        {
            _pool.At((queued - origin) / Stopwatch.Frequency).RecordStopwatchTicks(run - queued);
            _poolTotal.RecordStopwatchTicks(run - queued);
        }

        AddPause(new Pause(queued, run, PauseKind.Pool));
    }

    internal void AddPause(Pause pause)
    {
        if (pause.To - pause.From < ShortestPause)
        {
            return;
        }

        lock (_gate)
        {
            // Overlapping pauses are one: several work items may wait at the same time.
            var known = _pauses[(int)pause.Kind];
            if (known.Count > 0 && known[^1].To >= pause.From)
            {
                known[^1] =
                    new Pause(Math.Min(known[^1].From, pause.From), Math.Max(known[^1].To, pause.To), pause.Kind);
            }
            else if (known.Count < MostPauses)
            {
                known.Add(pause);
            }
        }
    }

    /// <summary>A reading failed.</summary>
    internal void AddFailure(string message)
    {
        lock (_gate)
        {
            _failures = (_failures.Count + 1, _failures.Message ?? message);
        }
    }

    /// <summary>Describes missing readings; empty if there are none.</summary>
    internal IReadOnlyList<string> Notes()
    {
        lock (_gate)
        {
            return _failures.Count == 0
                ? []
                : [Invariant.Text($"{Quantity.Of(_failures.Count, "reading")} for the timeline failed; the first: {_failures.Message}")];
        }
    }

    /// <summary>Adds a reading. Long runs keep every second reading, then every fourth.</summary>
    internal void AddReading(long at, TimelineReading reading)
    {
        lock (_gate)
        {
            if (_readingsSeen++ % _readingsKeptOf != 0)
            {
                return;
            }

            _readings.Add((at, reading));
            if (_readings.Count >= MostReadings)
            {
                var index = 0;
                _readings.RemoveAll(_ => index++ % 2 != 0);
                _readingsKeptOf *= 2;
            }
        }
    }

    internal ProcessFigures ProcessesIn(long from, long to) => new()
    {
        PoolDelayP99Ms = PoolDelayP99Ms(from, to),
        Cpu = CpuBetween(from, to),
        Backlog = BacklogAt(from, to),
        Waits = WaitsBetween(from, to),
        Metrics = MetricsWithin(from, to),
    };

    /// <summary>Delay of the thread pool in a period; null if no work item was queued in it.</summary>
    private double? PoolDelayP99Ms(long from, long to)
    {
        lock (_gate)
        {
            var second = (((from + to) / 2) - origin) / Stopwatch.Frequency;
            return second >= 0 && _pool[(int)(second / _pool.SecondsEach)] is { Count: > 0 } delays
                ? delays.PercentileMs(99)
                : null;
        }
    }

    /// <summary>The share of a period, 0 to 1, covered by pauses of a kind.</summary>
    internal double PausedShare(long from, long to, PauseKind kind)
    {
        lock (_gate)
        {
            return Math.Min(
                1, (double)_pauses[(int)kind].Sum(pause => Within(pause, from, to)) / Math.Max(1, to - from));
        }
    }

    /// <summary>The share of a period, 0 to 1, covered by the longest pause of a kind.</summary>
    internal double LongestPauseShare(long from, long to, PauseKind kind)
    {
        lock (_gate)
        {
            var longest = _pauses[(int)kind].Select(pause => Within(pause, from, to)).DefaultIfEmpty().Max();
            return (double)longest / Math.Max(1, to - from);
        }
    }

    private TimelineCpu? CpuBetween(long from, long to)
    {
        var cpu = new TimelineCpu(
            Share(from, to, reading => reading.GeneratorCpuSeconds),
            Share(from, to, reading => reading.ServiceCpuSeconds),
            Share(from, to, reading => reading.DatabaseCpuSeconds),
            Share(from, to, reading => reading.MachineCpuSeconds));
        return cpu == new TimelineCpu(null, null, null, null) ? null : cpu;
    }

    /// <summary>The share of the machine, 0 to 1, that the hypervisor gave to others; null if unknown.</summary>
    internal double? StolenShare(long from, long to) => Share(from, to, reading => reading.StolenCpuSeconds);

    /// <summary>
    /// Time that threads of the run waited for a processor, over real time and cores, 0 to 1; null if unknown. Uses
    /// only readings within the period: threads wait most while everything works, and waiting before or after the
    /// period explains nothing.
    /// </summary>
    internal double? WaitedShare(long from, long to)
    {
        lock (_gate)
        {
            var within = _readings.FindAll(
                reading => reading.At >= from && reading.At <= to && reading.Reading.RunDelaySeconds is not null);
            return within.Count < 2 ? null : Share(within[0].At, within[^1].At, reading => reading.RunDelaySeconds);
        }
    }

    /// <summary>The share of the machine, 0 to 1, that generator, service and database used; null if unknown.</summary>
    internal double? OwnShare(long from, long to) => CpuBetween(from, to) is { } cpu
        ? (cpu.Generator ?? 0) + (cpu.Service ?? 0) + (cpu.Database ?? 0)
        : null;

    /// <summary>The reading nearest to the end of a period; null if none is within the length of the period.</summary>
    private double? BacklogAt(long from, long to)
    {
        lock (_gate)
        {
            if (_readings.Count == 0)
            {
                return null;
            }

            var nearest = _readings.MinBy(reading => Math.Abs(reading.At - to));
            return Math.Abs(nearest.At - to) <= to - from ? nearest.Reading.Backlog : null;
        }
    }

    /// <summary>Average number of sessions in each wait, in descending order; null if unknown.</summary>
    internal IReadOnlyDictionary<string, double>? WaitsBetween(long from, long to)
    {
        lock (_gate)
        {
            if (Nearest(from, to, reading => reading.WaitSeconds is not null) is not var (first, last, seconds))
            {
                return null;
            }

            return last.WaitSeconds!
                .Select(wait =>
                    (wait.Key, Sessions: (wait.Value - first.WaitSeconds!.GetValueOrDefault(wait.Key)) / seconds))
                .Where(wait => wait.Sessions > 0)
                .OrderByDescending(wait => wait.Sessions)
                .Take(MostWaits)
                .ToDictionary(wait => wait.Key, wait => wait.Sessions, StringComparer.Ordinal);
        }
    }

    /// <summary>The same between the last reading before a period and the first one after it.</summary>
    internal IReadOnlyDictionary<string, double>? WaitsAround(long from, long to)
    {
        lock (_gate)
        {
            var known = _readings.FindAll(reading => reading.Reading.WaitSeconds is not null);
            var (before, after) =
                (known.FindLastIndex(reading => reading.At <= from), known.FindIndex(reading => reading.At >= to));
            return before < 0 || after < 0 ? null : WaitsBetween(known[before].At, known[after].At);
        }
    }

    /// <summary>The metrics scraped last in a period; null if there are none.</summary>
    private IReadOnlyDictionary<string, double>? MetricsWithin(long from, long to)
    {
        lock (_gate)
        {
            return _readings.FindLast(reading => reading.At >= from && reading.At < to
                && reading.Reading.Metrics is not null)
                .Reading?.Metrics;
        }
    }

    private static long Within(Pause pause, long from, long to) =>
        Math.Max(0, Math.Min(pause.To, to) - Math.Max(pause.From, from));

    /// <summary>Seconds used per second and core, between the readings nearest to two moments.</summary>
    private double? Share(long from, long to, Func<TimelineReading, double?> member)
    {
        lock (_gate)
        {
            return Nearest(from, to, reading => member(reading) is not null) is var (first, last, seconds)
                ? Math.Clamp((member(last)!.Value - member(first)!.Value) / seconds / Environment.ProcessorCount, 0, 1)
                : null;
        }
    }

    /// <summary>
    /// The readings nearest to two moments that contain a figure, and the seconds between them; null if they are the
    /// same.
    /// </summary>
    private (TimelineReading First, TimelineReading Last, double Seconds)? Nearest(
        long from, long to, Predicate<TimelineReading> knows)
    {
        var known = _readings.Where(reading => knows(reading.Reading)).ToList();
        if (known.Count == 0)
        {
            return null;
        }

        var (first, last) =
            (known.MinBy(reading => Math.Abs(reading.At - from)), known.MinBy(reading => Math.Abs(reading.At - to)));
        return last.At <= first.At
            ? null
            : (first.Reading, last.Reading, StopwatchTime.ToTimeSpan(last.At - first.At).TotalSeconds);
    }
}
