using System.Diagnostics.Metrics;
using MetricsMeter = System.Diagnostics.Metrics.Meter;

namespace LoadTesting.Core.Load;

/// <summary>One figure that a running load publishes.</summary>
public sealed record LoadMetric
{
    private static readonly Dictionary<string, string> UnitSuffixes = new(StringComparer.Ordinal) { ["s"] = "_seconds", ["1"] = "_ratio" };

    internal LoadMetric(
        string instrument, bool isCounter, string unit, string help, IReadOnlyList<string> labels,
        Func<PublishedLoad, IEnumerable<Measurement<double>>> read)
    {
        (Instrument, IsCounter, Unit, Help, Labels, Read) = (instrument, isCounter, unit, help, labels, read);
        Metric = instrument.Replace('.', '_') + UnitSuffixes.GetValueOrDefault(unit, "") + (isCounter ? "_total" : "");
    }

    /// <summary>Its name as an instrument of the meter <see cref="LoadMetrics.MeterName"/>, e.g. <c>load.iterations.started</c>.</summary>
    public string Instrument { get; }

    /// <summary>
    /// Its name as a Prometheus metric, e.g. <c>load_iterations_started_total</c>; an exporter of the instrument makes the same of it.
    /// </summary>
    public string Metric { get; }

    /// <summary>Whether it only grows, over all loads of the process; else it is a value of now.</summary>
    public bool IsCounter { get; }

    /// <summary>In UCUM, as OpenTelemetry asks for: <c>s</c>, <c>1</c> for a share from 0 to 1, <c>{iteration}</c> for a number.</summary>
    public string Unit { get; }

    /// <summary>What it is, for people.</summary>
    public string Help { get; }

    /// <summary>The attributes of its values.</summary>
    public IReadOnlyList<string> Labels { get; }

    internal Func<PublishedLoad, IEnumerable<Measurement<double>>> Read { get; }
}

/// <summary>
/// Publishes what loads measure while they run: <see cref="LoadOptions.Metrics"/>. The figures are those of the timeline; the thread that
/// adds its seconds up hands them over once a second, and nothing that starts or times an iteration does anything for it. Counters go on
/// from load to load; values of now are those of the last second that was complete, and end with the load. Safe for concurrent use.
/// </summary>
public sealed class LoadMetrics : IDisposable
{
    /// <summary>The name of the meter that has the instruments.</summary>
    public const string MeterName = "LoadTesting";

    private readonly MetricsMeter _meter = new(MeterName);
    private readonly PublishedLoad _published = new();
    private readonly Lock _gate = new();

    public LoadMetrics()
    {
        foreach (var metric in All)
        {
            _ = metric.IsCounter
                ? (Instrument)_meter.CreateObservableCounter<double>(metric.Instrument, () => Read(metric), metric.Unit, metric.Help)
                : _meter.CreateObservableGauge<double>(metric.Instrument, () => Read(metric), metric.Unit, metric.Help);
        }
    }

    /// <summary>The one list of what is published.</summary>
    public static IReadOnlyList<LoadMetric> All { get; } =
    [
        Counter(
            "load.iterations.intended", "Iterations that the schedule has asked for, with the one it waits for. Open loads only.",
            counts => counts.Intended),
        Counter("load.iterations.started", "Iterations that have started.", counts => counts.Started),
        Counter("load.iterations.completed", "Iterations that ended without a failure.", counts => counts.Completed),
        Counter("load.iterations.failed", "Iterations that ended with a failure, refused ones too.", counts => counts.Failed),
        Counter(
            "load.iterations.refused", "Iterations that the system refused: by status 429 or 503, or as the scenario counts them.",
            counts => counts.Refused),
        Counter("load.iterations.dropped", "Iterations that were due and not started.", counts => counts.Dropped),
        new(
            "load.errors", isCounter: true, "{error}", "Failures by status code.", ["scenario", "error.type"],
            load => load.Scenarios.SelectMany(scenario => scenario.Value.Counts.Errors.Select(
                error => Of(error.Value, ("scenario", scenario.Key), ("error.type", error.Key))))),
        new(
            "load.iterations.in_flight", isCounter: false, "{iteration}", "Iterations that have started and not ended.", ["scenario"],
            load => load.Running.Select(scenario => Of(scenario.Figures.InFlight, ("scenario", scenario.Name)))),
        new(
            "load.latency", isCounter: false, "s",
            "Latency of what completed in the last second: response time, of a closed load service time. Quantile 1 is the maximum.",
            ["scenario", "quantile"],
            load => load.Running.SelectMany(scenario => Quantiles(scenario.Name, scenario.Figures.Latency, 50, 95, 99, 100))),
        new(
            "load.schedule.lag", isCounter: false, "s", "Intended to actual start of what ended in the last second. Open loads only.",
            ["scenario", "quantile"], load => load.Running.SelectMany(scenario => Quantiles(scenario.Name, scenario.Figures.Lag, 99))),
        new(
            "load.pool.delay", isCounter: false, "s", "Wait of a work item for a thread of the generator's pool, in the last second.",
            ["quantile"], load => Known(load.Process.PoolDelayP99Ms / 1000, ("quantile", "0.99"))),
        new(
            "load.cpu.utilization", isCounter: false, "1", "Processor time over real time and cores of the machine.", ["process"],
            load =>
            [
                .. Known(load.Process.Cpu?.Generator, ("process", "generator")),
                .. Known(load.Process.Cpu?.Service, ("process", "service")),
                .. Known(load.Process.Cpu?.Database, ("process", "database")),
                .. Known(load.Process.Cpu?.Machine, ("process", "machine")),
            ]),
        new(
            "load.backlog", isCounter: false, "{item}", "Work that waits in the service, by its own gauge.", [],
            load => Known(load.Process.Backlog)),
        new(
            "load.database.sessions", isCounter: false, "{session}",
            "Active sessions of the backend on average, by what they waited for; the five most.", ["wait"],
            load => (load.Process.Waits ?? new Dictionary<string, double>()).Select(wait => Of(wait.Value, ("wait", wait.Key)))),
    ];

    /// <summary>The values of a figure now, with their attributes.</summary>
    public IReadOnlyList<Measurement<double>> Read(LoadMetric metric)
    {
        ArgumentNullException.ThrowIfNull(metric);
        lock (_gate)
        {
            return [.. metric.Read(_published)];
        }
    }

    public void Dispose() => _meter.Dispose();

    /// <summary>The scenarios that run, and what was sampled beside them.</summary>
    internal (IReadOnlyList<ScenarioProgress> Scenarios, ProcessFigures Process) ReadRunning()
    {
        lock (_gate)
        {
            return ([.. _published.Running.Select(scenario => scenario.Figures.ToProgress(scenario.Name))], _published.Process);
        }
    }

    /// <summary>These scenarios run from now on.</summary>
    /// <exception cref="InvalidOperationException">One of that name does already.</exception>
    internal void Begin(IEnumerable<string> names)
    {
        lock (_gate)
        {
            var all = names.ToList();
            if (all.Find(name => _published.Scenarios.GetValueOrDefault(name)?.Running is not null) is { } twice)
            {
                throw new InvalidOperationException(
                    $"Scenario '{twice}' is published by another load that still runs: give one another name, or metrics of its own.");
            }

            foreach (var name in all)
            {
                var before = _published.Scenarios.GetValueOrDefault(name) ?? new PublishedScenario(LoadCounts.None, null);
                _published.Scenarios[name] = before with { Running = new ScenarioFigures(LoadCounts.None, 0, null, null, new LoadPace()) };
            }
        }
    }

    internal void Publish(IEnumerable<(string Name, ScenarioFigures Figures)> scenarios, ProcessFigures process)
    {
        lock (_gate)
        {
            foreach (var (name, figures) in scenarios)
            {
                _published.Scenarios[name] = _published.Scenarios[name] with { Running = figures };
            }

            _published.Process = process;
        }
    }

    /// <summary>These scenarios have ended with these counts.</summary>
    internal void End(IEnumerable<(string Name, LoadCounts? Counts)> scenarios)
    {
        lock (_gate)
        {
            foreach (var (name, counts) in scenarios)
            {
                var scenario = _published.Scenarios[name];
                _published.Scenarios[name] = new(scenario.Ended.Plus(counts ?? scenario.Running?.Counts ?? LoadCounts.None), null);
            }

            if (!_published.Running.Any())
            {
                _published.Process = new ProcessFigures();
            }
        }
    }

    private static LoadMetric Counter(string instrument, string help, Func<LoadCounts, long?> count) => new(
        instrument, isCounter: true, "{iteration}", help, ["scenario"],
        load => load.Scenarios.SelectMany(scenario => Known(count(scenario.Value.Counts), ("scenario", scenario.Key))));

    private static IEnumerable<Measurement<double>> Quantiles(string scenario, LatencyHistogram? times, params double[] percentiles) =>
        times is not { Count: > 0 } known ? [] : percentiles.Select(percentile => Of(
            known.PercentileMs(percentile) / 1000,
            ("scenario", scenario), ("quantile", (percentile / 100).ToString(CultureInfo.InvariantCulture))));

    private static IEnumerable<Measurement<double>> Known(double? value, params (string Name, string Value)[] labels) =>
        value is { } known ? [Of(known, labels)] : [];

    private static Measurement<double> Of(double value, params (string Name, string Value)[] labels) =>
        new(value, labels.Select(label => new KeyValuePair<string, object?>(label.Name, label.Value)));
}

/// <summary>What a scenario has come to.</summary>
/// <param name="Intended">Null where nobody intends anything: a closed load, or a load engine that keeps its schedule to itself.</param>
/// <param name="Errors">Failures by status code.</param>
internal sealed record LoadCounts(
    long? Intended, long Started, long Completed, long Failed, long Refused, long Dropped, IReadOnlyDictionary<string, long> Errors)
{
    /// <summary>More codes than these count as <see cref="OtherError"/>: a code with an id in it would fill the memory.</summary>
    internal const int MostErrors = 100;

    /// <summary>As OpenTelemetry calls an error that is none of the known ones.</summary>
    internal const string OtherError = "_OTHER";

    internal static LoadCounts None { get; } = new(null, 0, 0, 0, 0, 0, new Dictionary<string, long>());

    internal LoadCounts Plus(LoadCounts other) => new(
        Intended is null && other.Intended is null ? null : (Intended ?? 0) + (other.Intended ?? 0),
        Started + other.Started, Completed + other.Completed, Failed + other.Failed, Refused + other.Refused, Dropped + other.Dropped,
        other.Errors.Count == 0 ? Errors : Sum(Errors.Concat(other.Errors)));

    internal static Dictionary<string, long> ByCode(IReadOnlyList<ErrorResult> errors) =>
        Sum(errors.Select(error => KeyValuePair.Create(error.Code, error.Count)));

    /// <summary>Failures by code; without one they are among the others.</summary>
    internal static Dictionary<string, long> Sum(IEnumerable<KeyValuePair<string, long>> errors)
    {
        var sum = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach (var (code, count) in errors)
        {
            var key = code.Length > 0 && (sum.Count < MostErrors || sum.ContainsKey(code)) ? code : OtherError;
            sum[key] = sum.GetValueOrDefault(key) + count;
        }

        return sum;
    }
}

/// <summary>A scenario that runs, at the end of its last complete second.</summary>
/// <param name="Latency">Of what completed in that second; null where nothing ended.</param>
/// <param name="Lag">Of what ended in that second; null where nothing did.</param>
/// <param name="Pace">How fast, and how far.</param>
internal sealed record ScenarioFigures(LoadCounts Counts, long InFlight, LatencyHistogram? Latency, LatencyHistogram? Lag, LoadPace Pace)
{
    internal ScenarioProgress ToProgress(string name) => new()
    {
        Name = name,
        ElapsedSeconds = Pace.Elapsed.TotalSeconds,
        PlannedSeconds = Pace.Planned?.TotalSeconds,
        PlannedIterations = Pace.PlannedIterations,
        IntendedPerSecond = Pace.IntendedPerSecond,
        StartedPerSecond = Pace.StartedPerSecond,
        Started = Counts.Started,
        Completed = Counts.Completed,
        Failed = Counts.Failed,
        Dropped = Counts.Dropped,
        InFlight = InFlight,
        P50Ms = Pace.Latency is { Count: > 0 } known ? known.PercentileMs(50) : null,
        P95Ms = Pace.Latency is { Count: > 0 } all ? all.PercentileMs(95) : null,
        LagP99Ms = Counts.Intended is not null && Lag is { Count: > 0 } lag ? lag.PercentileMs(99) : null,
        Latency = Pace.Whole,
    };
}

/// <summary>How fast a load went in the last second, how long it runs, and how much of it there is.</summary>
/// <param name="IntendedPerSecond">Null where nobody intends anything.</param>
/// <param name="Planned">Null where a number of iterations ends the load.</param>
/// <param name="PlannedIterations">Null where a time ends it.</param>
/// <param name="Latency">Of the last second in which something completed, unless that is three seconds ago.</param>
/// <param name="Whole">Of all that has completed; not changed any more.</param>
internal sealed record LoadPace(
    double? IntendedPerSecond = null, double StartedPerSecond = 0, TimeSpan Elapsed = default, TimeSpan? Planned = null,
    long? PlannedIterations = null, LatencyHistogram? Latency = null, LatencyHistogram? Whole = null);

/// <summary>What was sampled beside the load; null where it was not.</summary>
internal sealed record ProcessFigures(
    double? PoolDelayP99Ms = null, TimelineCpu? Cpu = null, double? Backlog = null, IReadOnlyDictionary<string, double>? Waits = null);

/// <param name="Ended">Of loads that are over.</param>
/// <param name="Running">Null while none runs.</param>
internal sealed record PublishedScenario(LoadCounts Ended, ScenarioFigures? Running)
{
    internal LoadCounts Counts => Running is null ? Ended : Ended.Plus(Running.Counts);
}

/// <summary>What is published now. Not safe for concurrent use.</summary>
internal sealed class PublishedLoad
{
    internal SortedDictionary<string, PublishedScenario> Scenarios { get; } = new(StringComparer.Ordinal);
    internal ProcessFigures Process { get; set; } = new();

    internal IEnumerable<(string Name, ScenarioFigures Figures)> Running =>
        Scenarios.Where(scenario => scenario.Value.Running is not null).Select(scenario => (scenario.Key, scenario.Value.Running!));
}

/// <summary>Hands one load's figures to its metrics, on the thread that adds up its seconds.</summary>
internal sealed class LivePublisher
{
    private readonly LoadMetrics _metrics;
    private readonly LoadSamples _samples;
    private readonly IReadOnlyList<LiveScenario> _scenarios;

    /// <exception cref="InvalidOperationException">Another load publishes a scenario of the same name.</exception>
    internal LivePublisher(LoadMetrics metrics, IReadOnlyList<LiveScenario> scenarios, LoadSamples samples)
    {
        (_metrics, _scenarios, _samples) = (metrics, scenarios, samples);
        metrics.Begin(scenarios.Select(scenario => scenario.Name));
    }

    /// <summary>Called once a second, after the scenarios have added up their seconds.</summary>
    internal void EndSecond(long now)
    {
        var second = Stopwatch.Frequency;
        // The reading of this second may still be under way: processors are those of the second before.
        var (from, to) = (now - (2 * second), now - second);
        var process = new ProcessFigures(
            _samples.PoolDelayP99Ms(to - (second / 2), to + (second / 2)), _samples.CpuBetween(from, to), _samples.BacklogAt(from, to),
            _samples.WaitsBetween(from, to));
        _metrics.Publish(_scenarios.Select(scenario => (scenario.Name, scenario.Take(now))), process);
    }

    /// <summary>The load is over.</summary>
    /// <param name="results">In the order of the scenarios; null where it failed.</param>
    internal void End(IReadOnlyList<ScenarioStats>? results) =>
        _metrics.End(_scenarios.Select((scenario, index) => (scenario.Name, results is null ? null : scenario.CountsOf(results[index]))));
}

/// <summary>What the seconds of one scenario have come to so far. Used by one thread at a time.</summary>
/// <param name="name">The scenario.</param>
/// <param name="simulations">Its load.</param>
/// <param name="began">When that begins, in Stopwatch ticks.</param>
/// <param name="count">What it has come to by now.</param>
internal sealed class LiveScenario(string name, IReadOnlyList<LoadSimulation> simulations, long began, Func<LiveCounts> count)
{
    private readonly List<LiveSecond> _seconds = [];
    private readonly long? _iterations = simulations.All(simulation => DrivenScenario.OperationsOf(simulation) is not null)
        ? simulations.Sum(DrivenScenario.OperationsOf)
        : null;
    private readonly TimeSpan? _planned = LoadSimulation.DurationOf(simulations);
    private (long At, long Asked, long Started) _before = (began, 0, 0);
    private long _latencyAt;
    private LatencyHistogram? _latency;
    private LatencyHistogram _whole = new();
    private IReadOnlyDictionary<string, long> _errors = new Dictionary<string, long>();
    private long _completed;
    private long _failed;

    internal string Name => name;

    /// <summary>A scenario of this process, which is listened to from now on.</summary>
    internal static LiveScenario Of(ScenarioRun run)
    {
        var live = new LiveScenario(run.Name, run.Simulations, Stopwatch.GetTimestamp(), run.CountNow);
        run.Listeners.Add(live.Add);
        return live;
    }

    /// <summary>A second that is over.</summary>
    internal void Add(LiveSecond second)
    {
        _seconds.Add(second);
        _completed += second.Latency.Count;
        _failed += second.Failed;
        _errors = second.Errors.Count == 0 ? _errors : LoadCounts.Sum(_errors.Concat(second.Errors));
    }

    /// <summary>The figures now; latencies are those of the seconds since the last call.</summary>
    internal ScenarioFigures Take(long now)
    {
        var latency = LatencyHistogram.MergeAll(_seconds.Select(second => second.Latency));
        var lag = LatencyHistogram.MergeAll(_seconds.Select(second => second.Lag));
        _seconds.Clear();
        var seen = count();
        var counts = new LoadCounts(
            seen.Asked, seen.Started, _completed, _failed, RefusedOf(seen, _errors), seen.Dropped, _errors);
        return new ScenarioFigures(counts, seen.InFlight, latency, lag, Pace(now, counts, latency));
    }

    internal LoadCounts CountsOf(ScenarioStats result)
    {
        var (seen, errors) = (count(), LoadCounts.ByCode(result.Errors));
        return new LoadCounts(
            seen.Asked is null ? null : result.Requested, result.Started, result.Ok.Count, result.Fail.Count, RefusedOf(seen, errors),
            result.Dropped, errors);
    }

    private LoadPace Pace(long now, LoadCounts counts, LatencyHistogram latency)
    {
        if (latency.Count > 0)
        {
            (_latency, _latencyAt) = (latency, now);
            // Others read the one before meanwhile.
            _whole = LatencyHistogram.MergeAll([_whole, latency]);
        }

        var (before, seconds) = (_before, Math.Max(0.001, StopwatchTime.ToTimeSpan(now - _before.At).TotalSeconds));
        _before = (now, counts.Intended ?? 0, counts.Started);
        return new LoadPace(
            counts.Intended is null ? null : (_before.Asked - before.Asked) / seconds, (_before.Started - before.Started) / seconds,
            StopwatchTime.ToTimeSpan(now - began), _planned, _iterations,
            StopwatchTime.ToTimeSpan(now - _latencyAt) < TimeSpan.FromSeconds(3) ? _latency : null, _whole);
    }

    private static long RefusedOf(LiveCounts seen, IReadOnlyDictionary<string, long> errors) =>
        seen.Refused ?? errors.GetValueOrDefault("429") + errors.GetValueOrDefault("503");
}
