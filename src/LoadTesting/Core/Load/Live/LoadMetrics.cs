using System.Diagnostics.Metrics;
using MetricsMeter = System.Diagnostics.Metrics.Meter;

namespace LoadTesting.Core.Load.Live;

/// <summary>
/// Publishes the measurements of running loads: <see cref="LoadOptions.Metrics"/>. The thread that adds up the timeline
/// publishes once a second; starting and timing an iteration costs nothing extra. Counters continue from load to load.
/// Gauges show the last complete second and end with the load. Safe for concurrent use.
/// </summary>
public sealed class LoadMetrics : IDisposable
{
    /// <summary>The name of the meter of the instruments.</summary>
    public const string MeterName = "LoadTesting";

    private readonly MetricsMeter _meter = new(MeterName);
    private readonly PublishedLoad _published = new();
    private readonly Lock _gate = new();

    public LoadMetrics()
    {
        foreach (var metric in All)
        {
            _ = metric.IsCounter
                ? (Instrument)_meter.CreateObservableCounter<double>(
                    metric.Instrument, () => Read(metric), metric.Unit, metric.Help)
                : _meter.CreateObservableGauge<double>(metric.Instrument, () => Read(metric), metric.Unit, metric.Help);
        }
    }

    /// <summary>All metrics.</summary>
    public static IReadOnlyList<LoadMetric> All { get; } =
    [
        Counter(
            "load.iterations.intended",
            "Iterations that the schedule has asked for, with the one it waits for. Open loads only.",
            counts => counts.Intended),
        Counter("load.iterations.started", "Iterations that have started.", counts => counts.Started),
        Counter("load.iterations.completed", "Iterations that ended without a failure.", counts => counts.Completed),
        Counter("load.iterations.failed", "Iterations that ended with a failure, refused ones too.",
            counts => counts.Failed),
        Counter(
            "load.iterations.refused",
            "Iterations that the system refused: by status 429 or 503, or as the scenario counts them.",
            counts => counts.Refused),
        Counter("load.iterations.dropped", "Iterations that were due and not started.", counts => counts.Dropped),
        new(
            "load.errors", isCounter: true, "{error}", "Failures by status code.", ["scenario", "error.type"],
            load => load.Scenarios.SelectMany(scenario => scenario.Value.Counts.Errors.Select(
                error => Of(error.Value, ("scenario", scenario.Key), ("error.type", error.Key))))),
        new(
            "load.iterations.in_flight", isCounter: false, "{iteration}", "Iterations that have started and not ended.",
            ["scenario"],
            load => load.Running
                .Select(scenario => Of(scenario.Figures.InFlight, ("scenario", scenario.Name)))),
        new(
            "load.latency", isCounter: false, "s",
            "Latency of what completed in the last second: response time, of a closed load service "
                + "time. Quantile 1 is the maximum.",
            ["scenario", "quantile"],
            load => load.Running
                .SelectMany(scenario => Quantiles(scenario.Name, scenario.Figures.LastLatency, 50, 95, 99, 100))),
        new(
            "load.schedule.lag", isCounter: false, "s",
            "Intended to actual start of what ended in the last second. Open loads only.",
            ["scenario", "quantile"],
            load => load.Running.SelectMany(scenario => Quantiles(scenario.Name, scenario.Figures.LastLag, 99))),
        new(
            "load.pool.delay", isCounter: false, "s",
            "Wait of a work item for a thread of the generator's pool, in the last second.",
            ["quantile"], load => Known(load.Process.PoolDelayP99Ms / 1000, ("quantile", "0.99"))),
        new(
            "load.cpu.utilization", isCounter: false, "1", "Processor time over real time and cores of the machine.",
            ["process"],
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
            load => (load.Process.Waits ?? new Dictionary<string, double>())
                .Select(wait => Of(wait.Value, ("wait", wait.Key)))),
    ];

    /// <summary>The current values of a metric, with their attributes.</summary>
    public IReadOnlyList<Measurement<double>> Read(LoadMetric metric)
    {
        ArgumentNullException.ThrowIfNull(metric);
        lock (_gate)
        {
            return [.. metric.Read(_published)];
        }
    }

    public void Dispose() => _meter.Dispose();

    /// <summary>The running scenarios, and the figures of the processes.</summary>
    internal (IReadOnlyList<ScenarioProgress> Scenarios, ProcessFigures Process) ReadRunning()
    {
        lock (_gate)
        {
            return ([.. _published.Running.Select(scenario => scenario.Figures)], _published.Process);
        }
    }

    /// <summary>
    /// Scenarios whose load is over, with the figures of the whole load, until <see cref="ForgetEnded"/> or their next
    /// load.
    /// </summary>
    internal IReadOnlyList<ScenarioProgress> ReadEnded()
    {
        lock (_gate)
        {
            return
            [
                .. _published.Scenarios.Where(scenario => scenario.Value.Last is not null)
                    .Select(scenario => scenario.Value.Last!),
            ];
        }
    }

    /// <summary>Discards the figures of loads that are over.</summary>
    internal void ForgetEnded()
    {
        lock (_gate)
        {
            foreach (var (name, scenario) in _published.Scenarios.ToList())
            {
                _published.Scenarios[name] = scenario with { Last = null };
            }
        }
    }

    /// <summary>Scenarios start to run.</summary>
    /// <exception cref="InvalidOperationException">A scenario of the same name is running already.</exception>
    internal void Begin(IEnumerable<string> names)
    {
        lock (_gate)
        {
            var all = names.ToList();
            if (all.Find(name => _published.Scenarios.GetValueOrDefault(name)?.Running is not null) is { } twice)
            {
                throw new InvalidOperationException(
                    $"Scenario '{twice}' is published by another load that still runs: "
                        + "give one of them another name, or separate metrics.");
            }

            foreach (var name in all)
            {
                var before = _published.Scenarios.GetValueOrDefault(name)
                    ?? new PublishedScenario(LoadCounts.None, null);
                _published.Scenarios[name] = before with
                {
                    Running = new ScenarioProgress { Name = name },
                    Last = null,
                };
            }
        }
    }

    internal void Publish(IEnumerable<(string Name, ScenarioProgress Figures)> scenarios, ProcessFigures process)
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

    /// <summary>Scenarios have ended. Figures are null if the load failed.</summary>
    internal void End(IEnumerable<(string Name, ScenarioProgress? Last)> scenarios)
    {
        lock (_gate)
        {
            foreach (var (name, last) in scenarios)
            {
                var scenario = _published.Scenarios[name];
                _published.Scenarios[name] =
                    new(scenario.Ended.Plus((last ?? scenario.Running)?.Counts ?? LoadCounts.None), null)
                {
                    Last = last,
                };
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

    private static IEnumerable<Measurement<double>> Quantiles(
        string scenario, LatencyHistogram? times, params double[] percentiles) =>
        times is not { Count: > 0 } known ? [] : percentiles.Select(percentile => Of(
            known.PercentileMs(percentile) / 1000,
            ("scenario", scenario), ("quantile", (percentile / 100).ToString(CultureInfo.InvariantCulture))));

    private static IEnumerable<Measurement<double>> Known(double? value, params (string Name, string Value)[] labels) =>
        value is { } known ? [Of(known, labels)] : [];

    private static Measurement<double> Of(double value, params (string Name, string Value)[] labels) =>
        new(value, labels.Select(label => new KeyValuePair<string, object?>(label.Name, label.Value)));
}
