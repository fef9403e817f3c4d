namespace LoadTesting.Core.Load.Live;

/// <summary>
/// The figures of one running scenario, made of the seconds that are over. Used by one thread at a time.
/// </summary>
internal sealed class LiveScenario
{
    /// <summary>How long displays keep the latencies of the last second that had any.</summary>
    private static readonly TimeSpan s_shownFor = TimeSpan.FromSeconds(3);

    private readonly ScenarioRun _run;
    private readonly long _began = Stopwatch.GetTimestamp();
    private readonly long? _iterations;
    private readonly List<LiveSecond> _seconds = [];
    private (long At, long Intended, long Started) _before;
    private long _latencyAt;
    private LatencyHistogram? _latency;
    private LatencyHistogram _whole = new();
    private IReadOnlyDictionary<string, long> _errors = new Dictionary<string, long>();

    /// <summary>Listens to the scenario from now on.</summary>
    internal LiveScenario(ScenarioRun run)
    {
        _run = run;
        _before = (_began, 0, 0);
        _iterations = run.Simulations.All(simulation => DrivenScenario.OperationsOf(simulation) is not null)
            ? run.Simulations.Sum(DrivenScenario.OperationsOf)
            : null;
        run.Listeners.Add(Add);
    }

    internal string Name => _run.Name;

    /// <summary>The figures now; latencies are those of the seconds since the last call.</summary>
    internal ScenarioProgress Take(long now)
    {
        var latency = LatencyHistogram.MergeAll(_seconds.Select(second => second.Latency));
        var lag = LatencyHistogram.MergeAll(_seconds.Select(second => second.Lag));
        _seconds.Clear();
        if (latency.Count > 0)
        {
            (_latency, _latencyAt) = (latency, now);

            // Other threads may still read the histogram before.
            _whole = LatencyHistogram.MergeAll([_whole, latency]);
        }

        var counts = _run.CountNow(_errors);
        var (before, seconds) = (_before, Math.Max(0.001, StopwatchTime.ToTimeSpan(now - _before.At).TotalSeconds));
        _before = (now, counts.Intended ?? 0, counts.Started);
        var shown = StopwatchTime.ToTimeSpan(now - _latencyAt) < s_shownFor ? _latency : null;
        return ProgressOf(counts, _run.InFlight.Count, shown, lag) with
        {
            ElapsedSeconds = StopwatchTime.ToTimeSpan(now - _began).TotalSeconds,
            IntendedPerSecond = counts.Intended is null ? null : (_before.Intended - before.Intended) / seconds,
            StartedPerSecond = (_before.Started - before.Started) / seconds,
            Latency = _whole,
            LastLatency = latency,
        };
    }

    /// <summary>
    /// The figures of the whole load, which is over. Includes its last second, which may be incomplete.
    /// </summary>
    internal ScenarioProgress End(ScenarioStats result)
    {
        var errors = LoadCounts.ByCode(result.Errors);
        var counts = new LoadCounts(
            _run.HasSchedule ? result.Requested - result.NotDue : null, result.Started, result.Ok.Count,
            result.Fail.Count,
            _run.CountRefused(errors), result.Dropped - result.NotDue, errors);
        var latency = result.Ok.Latency;
        var intended = counts.Intended / result.LoadedDuration.TotalSeconds;
        return ProgressOf(counts, result.Unfinished, latency, result.ScheduleLag) with
        {
            ElapsedSeconds = result.Duration.TotalSeconds,
            IntendedPerSecond = intended is { } rate && double.IsFinite(rate) ? rate : null,
            StartedPerSecond = result.StartedPerSecond,
            Latency = latency,
            LastLatency = latency,
        };
    }

    private void Add(LiveSecond second)
    {
        _seconds.Add(second);
        _errors = second.Errors.Count == 0 ? _errors : LoadCounts.Sum(_errors.Concat(second.Errors));
    }

    private ScenarioProgress ProgressOf(
        LoadCounts counts, long inFlight, LatencyHistogram? latency, LatencyHistogram lag) => new()
    {
        Name = Name,
        PlannedSeconds = _run.PlannedDuration?.TotalSeconds,
        PlannedIterations = _iterations,
        Started = counts.Started,
        Completed = counts.Completed,
        Failed = counts.Failed,
        Dropped = counts.Dropped,
        InFlight = inFlight,
        P50Ms = latency is { Count: > 0 } ? latency.PercentileMs(50) : null,
        P95Ms = latency is { Count: > 0 } ? latency.PercentileMs(95) : null,
        LagP99Ms = counts.Intended is not null && lag.Count > 0 ? lag.PercentileMs(99) : null,
        Counts = counts,
        LastLag = lag,
    };
}
