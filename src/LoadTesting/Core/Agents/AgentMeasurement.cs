namespace LoadTesting.Core.Agents;

/// <summary>What one agent measured, whole: histograms and seconds, not percentiles of them.</summary>
internal sealed record AgentMeasurement
{
    public required DateTimeOffset StartedUtc { get; init; }
    public required TimeSpan Duration { get; init; }
    public required GeneratorHealth Health { get; init; }
    public required IReadOnlyList<ScenarioStats> Scenarios { get; init; }

    /// <summary>The seconds of each scenario, in the same order.</summary>
    public required IReadOnlyList<TimelineSeconds> Timelines { get; init; }

    public string? StopReason { get; init; }
    public bool IsInterrupted { get; init; }

    /// <summary>How late the load began after the agreed instant, by the agent's own clock, milliseconds.</summary>
    public required double StartedLateMs { get; init; }

    /// <summary>Processor time of its process while the load ran, seconds.</summary>
    public double CpuSeconds { get; init; }

    /// <summary>Most memory that its process had in use since its start, bytes.</summary>
    public long PeakMemoryBytes { get; init; }

    /// <summary>What the operations of each scenario came to, in the same order; empty where iterations are not operations.</summary>
    public IReadOnlyList<TallyParts> Operations { get; init; } = [];

    public static AgentMeasurement Of(LoadResult load, double startedLateMs) => new()
    {
        StartedUtc = load.StartedUtc,
        Duration = load.Duration,
        Health = load.Health,
        Scenarios = [.. load.Scenarios.Select(scenario => scenario with { Timeline = new() { IntervalMs = 1000, Points = [] } })],
        Timelines = [.. load.Scenarios.Select(scenario => scenario.Recorded!.ToSeconds())],
        StopReason = load.StopReason,
        IsInterrupted = load.IsInterrupted,
        StartedLateMs = startedLateMs,
    };
}

/// <summary>
/// What several agents measured, as the result of one load: counts and histograms add up, so every percentile is that of all operations;
/// the generator is bound where one agent's was; and thresholds are judged on the whole.
/// </summary>
internal static class AgentMerge
{
    /// <param name="whole">The load that was divided among the agents.</param>
    /// <param name="parts">What each measured, with its name.</param>
    /// <param name="start">The agreed instant, in Stopwatch ticks of this process.</param>
    /// <param name="samples">What was sampled here beside the load; null where nothing was.</param>
    /// <exception cref="AgentException">An agent measured something else.</exception>
    public static LoadResult Of(
        IReadOnlyList<ScenarioProps> whole, IReadOnlyList<(string Agent, AgentMeasurement Measured)> parts, long start,
        LoadSamples? samples)
    {
        foreach (var (agent, measured) in parts)
        {
            if (!measured.Scenarios.Select(scenario => scenario.Name).SequenceEqual(whole.Select(scenario => scenario.ScenarioName)))
            {
                throw new AgentException(
                    $"Agent '{agent}' measured {string.Join(", ", measured.Scenarios.Select(scenario => $"'{scenario.Name}'"))} instead of "
                    + $"{string.Join(", ", whole.Select(scenario => $"'{scenario.ScenarioName}'"))}; give it the same build.");
            }
        }

        return new LoadResult
        {
            StartedUtc = parts.Min(part => part.Measured.StartedUtc),
            Duration = parts.Max(part => part.Measured.Duration),
            Scenarios = [.. whole.Select((scenario, place) => Scenario(
                scenario,
                [.. parts.Select(part => part.Measured.Scenarios[place])],
                [.. parts.Select(part => part.Measured.Timelines[place])],
                start,
                samples))],
            Health = Health(parts),
            Notes =
            [
                $"{parts.Count} agents: {string.Join(", ", parts.Select(part => part.Agent))}. Counts and histograms of all are added up; "
                    + "stalls are those of each.",
                .. samples?.Notes() ?? [],
            ],
            StopReason = parts.Where(part => part.Measured.StopReason is not null)
                .Select(part => $"{part.Agent}: {part.Measured.StopReason}").FirstOrDefault(),
            IsInterrupted = parts.Any(part => part.Measured.IsInterrupted),
        };
    }

    /// <summary>What agents heard of the system: what became of waits adds up, and the split is that of all events or none.</summary>
    public static AgentEvents Of(IReadOnlyList<(string Agent, AgentEvents Heard)> parts) => new(
        parts.Select(part => part.Heard.Counts).Aggregate((all, one) => all.Plus(one)),
        parts.Any(part => part.Heard.ServerSplit.Count == 0)
            ? []
            : [.. parts.SelectMany(part => part.Heard.ServerSplit).GroupBy(part => part.Name, StringComparer.Ordinal)
                .Select(same => new ServerPart(same.Key, LatencyHistogram.MergeAll(same.Select(part => part.Latency))))],
        parts.Where(part => part.Heard.Missing is not null).Select(part => $"{part.Agent}: {part.Heard.Missing}").FirstOrDefault());

    private static ScenarioStats Scenario(
        ScenarioProps whole, ScenarioStats[] parts, TimelineSeconds[] seconds, long start, LoadSamples? samples)
    {
        var (duration, paused) = (parts.Max(part => part.Duration), parts.Min(part => part.Paused));
        var timeline = Timeline.Of(seconds, start);
        var merged = new ScenarioStats
        {
            Name = whole.ScenarioName,
            Model = whole.Model,
            Simulations = [.. whole.LoadSimulations.Select(simulation => simulation.ToString()!)],
            PlannedDuration = parts.Max(part => part.PlannedDuration),
            Duration = duration,
            Paused = paused,
            Requested = parts.Sum(part => part.Requested),
            Started = parts.Sum(part => part.Started),
            Dropped = parts.Sum(part => part.Dropped),
            DroppedInFlightLimit = parts.Sum(part => part.DroppedInFlightLimit),
            DroppedAfterStop = parts.Sum(part => part.DroppedAfterStop),
            Unfinished = parts.Sum(part => part.Unfinished),
            StartedLate = parts.Sum(part => part.StartedLate),
            Ok = Stats([.. parts.Select(part => part.Ok)], parts.Sum(part => part.Ok.Count + part.Fail.Count), duration - paused),
            Fail = Stats([.. parts.Select(part => part.Fail)], parts.Sum(part => part.Ok.Count + part.Fail.Count), duration - paused),
            ScheduleLag = LatencyHistogram.MergeAll(parts.Select(part => part.ScheduleLag)),
            Steps = [.. parts.SelectMany(part => part.Steps).GroupBy(step => step.Name, StringComparer.Ordinal)
                .Select(same => StepOf(same.Key, [.. same], duration - paused))],
            Recorded = timeline,
            Samples = samples,
            Timeline = timeline.ToResult(null, samples),
            Stalls = [.. parts.SelectMany(part => part.Stalls).OrderBy(stall => stall.AtMs)],
            Errors = ErrorResult.SumOf(parts.SelectMany(part => part.Errors)),
            StopReason = parts.Select(part => part.StopReason).FirstOrDefault(reason => reason is not null),
        };
        return merged with { Thresholds = [.. whole.Thresholds.Select(threshold => threshold.Evaluate(merged))] };
    }

    private static StepStats StepOf(string name, StepStats[] parts, TimeSpan duration)
    {
        var ended = parts.Sum(part => part.Ok.Count + part.Fail.Count);
        return new StepStats
        {
            Name = name,
            Ok = Stats([.. parts.Select(part => part.Ok)], ended, duration),
            Fail = Stats([.. parts.Select(part => part.Fail)], ended, duration),
            ScheduleLag = LatencyHistogram.MergeAll(parts.Select(part => part.ScheduleLag)),
            EndBeforeStart = parts.Sum(part => part.EndBeforeStart),
        };
    }

    private static MeasurementStats Stats(MeasurementStats[] parts, long ended, TimeSpan duration)
    {
        var count = parts.Sum(part => part.Count);
        return new MeasurementStats
        {
            Model = parts[0].Model,
            Count = count,
            Percent = ended == 0 ? 0 : 100.0 * count / ended,
            RatePerSecond = duration > TimeSpan.Zero ? count / duration.TotalSeconds : 0,
            SizeBytes = parts.Sum(part => part.SizeBytes),
            SentBytes = parts.Sum(part => part.SentBytes),
            Sizes = new SizeDistribution(LatencyHistogram.MergeAll(parts.Select(part => part.Sizes.Histogram))),
            Service = LatencyHistogram.MergeAll(parts.Select(part => part.Service)),
            Response = LatencyHistogram.MergeAll(parts.Select(part => part.Response)),
            StatusCodes = [.. parts.SelectMany(part => part.StatusCodes).GroupBy(code => code.StatusCode, StringComparer.Ordinal)
                .Select(same => new StatusCodeCount(
                    same.Key, same.Sum(code => code.Count),
                    same.Select(code => code.Message).FirstOrDefault(text => text.Length > 0) ?? ""))
                .OrderByDescending(code => code.Count)],
        };
    }

    /// <summary>Of each figure the worst agent's.</summary>
    private static GeneratorHealth Health(IReadOnlyList<(string Agent, AgentMeasurement Measured)> parts)
    {
        var all = parts.Select(part => part.Measured.Health).ToList();
        return new GeneratorHealth
        {
            Verdict = all.Max(health => health.Verdict),
            Evidence = [.. parts.SelectMany(part => part.Measured.Health.Evidence, (part, evidence) =>
                evidence with { Text = $"{part.Agent}: {evidence.Text}" })],
            ScheduleLagP99Ms = all.Max(health => health.ScheduleLagP99Ms),
            ScheduleLagMaxMs = all.Max(health => health.ScheduleLagMaxMs),
            LagShareOfP99 = all.Max(health => health.LagShareOfP99),
            PoolDelayP99Ms = all.Max(health => health.PoolDelayP99Ms),
            Pool = all.Max(health => health.Pool),
            AchievedRatio = all.Min(health => health.AchievedRatio),
            Dropped = all.Sum(health => health.Dropped),
            Process = all.MaxBy(health => health.Process.CpuShare)!.Process,
        };
    }
}

/// <summary>
/// What agents report while they run, as one load: abort rules look at a second, and it is published and part of an interval, once all
/// agents have completed it. What an agent recorded late is published and part of the next interval, and no rule looks at it. Where a rule
/// of an agent's own ends its part, the load ends on all of them. Disposing it ends that. Thread-safe.
/// </summary>
internal sealed class DividedSeconds : IDisposable
{
    private readonly IReadOnlyList<ConnectedAgent> _agents;
    private readonly IReadOnlyList<OperationTally> _tallies;
    private readonly IReadOnlyList<DividedScenario> _scenarios;
    private readonly LivePublisher? _live;
    private readonly Action<string> _stop;
    private readonly LoadOptions _options;
    private readonly long _start;
    private readonly long _every;
    private readonly Lock _gate = new();
    private long _through;
    private TimeSpan _reported;
    private bool _isOver;

    /// <param name="whole">The load that was divided among the agents.</param>
    /// <param name="tallies">Are given the latencies of operations while it runs, in the order of the scenarios; empty: nobody is.</param>
    /// <param name="agents">Those that run it.</param>
    /// <param name="start">The agreed instant, in Stopwatch ticks of this process.</param>
    /// <param name="stop">Ends the load on all agents, for the reason given.</param>
    /// <param name="options">Who is given its figures and intervals.</param>
    /// <param name="samples">What is sampled here beside the load.</param>
    public DividedSeconds(
        IReadOnlyList<ScenarioProps> whole, IReadOnlyList<OperationTally> tallies, IReadOnlyList<ConnectedAgent> agents, long start,
        Action<string> stop, LoadOptions options, LoadSamples samples)
    {
        (_tallies, _agents, _start, _stop, _options) = (tallies, agents, start, stop, options);
        _every = (long)options.Interval.TotalSeconds;
        _scenarios = [.. whole.Select(scenario => new DividedScenario(scenario, agents.Count, start, stop))];
        _live = options.Metrics is { } metrics
            ? new LivePublisher(metrics, [.. _scenarios.Select(scenario => scenario.Live)], samples)
            : null;
        for (var place = 0; place < agents.Count; place++)
        {
            var agent = place;
            agents[place].Report = reported => Add(agent, reported.Seconds ?? [], reported.Latencies ?? []);
        }
    }

    /// <summary>The load is over.</summary>
    /// <param name="load">What it came to; null where it failed.</param>
    public void End(LoadResult? load)
    {
        lock (_gate)
        {
            if (!_isOver)
            {
                _isOver = true;
                _live?.End(load?.Scenarios);
                if (load is not null)
                {
                    ReportInterval(load.Duration, isLast: true);
                }
            }
        }
    }

    public void Dispose()
    {
        foreach (var agent in _agents)
        {
            agent.Report = null;
        }

        End(load: null);
    }

    private void Add(int agent, IReadOnlyList<ScenarioSeconds> reported, IReadOnlyList<LatencyHistogram> latencies)
    {
        lock (_gate)
        {
            foreach (var (tally, completed) in _tallies.Zip(latencies))
            {
                tally.AddToWindow(completed);
            }

            // An agent of another build may have other scenarios; its result is refused.
            foreach (var (scenario, seconds) in _scenarios.Zip(reported))
            {
                scenario.Add(agent, seconds);
                if (seconds.StopReason is { } reason && reason != LoadRunner.Interrupted)
                {
                    _stop($"{_agents[agent].Name}: {reason}");
                }
                else if (scenario.TooManyFailed is { } tooMany)
                {
                    _stop(tooMany);
                }
            }

            if (!_isOver && _scenarios.Min(scenario => scenario.Through) is var through && through > _through)
            {
                LookUntil(through);
                _live?.EndSecond(_start + (through * Stopwatch.Frequency));
            }
        }
    }

    private void LookUntil(long through)
    {
        while (_through < through)
        {
            _through = Math.Min(through, ((_through / _every) + 1) * _every);
            foreach (var scenario in _scenarios)
            {
                scenario.LookUntil(_through);
            }

            if (_through % _every == 0)
            {
                ReportInterval(TimeSpan.FromSeconds(_through), isLast: false);
            }
        }
    }

    private void ReportInterval(TimeSpan to, bool isLast)
    {
        var interval = new LoadInterval(
            _reported, to, isLast, [.. _scenarios.Select(scenario => scenario.TakeInterval(to - _reported, isLast))], _stop);
        _reported = to;
        _options.OnInterval?.Invoke(interval);
    }

    /// <summary>One scenario of them. Used by one thread at a time.</summary>
    private sealed class DividedScenario
    {
        private readonly (long Through, LiveCounts Counts)[] _agents;
        private readonly SortedDictionary<long, LiveSecond> _open = [];
        private readonly ScenarioProps _whole;
        private readonly AbortWatch _abort;
        private readonly List<LiveSecond> _interval = [];
        private long _lookedUntil;
        private long _failed;

        public DividedScenario(ScenarioProps whole, int agents, long start, Action<string> stop)
        {
            _agents = [.. Enumerable.Repeat((0L, LiveCounts.None), agents)];
            (_whole, _abort) = (whole, new AbortWatch(whole, stop));
            Live = new LiveScenario(
                whole.ScenarioName, whole.LoadSimulations, start,
                () => _agents.Aggregate(LiveCounts.None, (sum, one) => sum.Plus(one.Counts)));
        }

        public LiveScenario Live { get; }

        /// <summary>
        /// Why the failures of all agents together end the load; null where they do not. One agent ends it at once by the same limit.
        /// </summary>
        public string? TooManyFailed => _failed <= _whole.MaxFailCount
            ? null
            : Invariant.Text(
                $"scenario '{_whole.ScenarioName}': {_failed} failed iterations of all agents are more than "
                + $"WithMaxFailCount({_whole.MaxFailCount}) allows");

        /// <summary>Seconds that all agents have completed.</summary>
        public long Through => _agents.Min(agent => agent.Through);

        public void Add(int agent, ScenarioSeconds reported)
        {
            _agents[agent] = (Math.Max(reported.Through, _agents[agent].Through), reported.Counts);
            foreach (var second in reported.Seconds)
            {
                Live.Add(second);
                _failed += second.Failed;
                if (second.Index >= _lookedUntil)
                {
                    _open[second.Index] = _open.TryGetValue(second.Index, out var others) ? others.Plus(second) : second;
                }
                else
                {
                    _interval.Add(second);
                }
            }
        }

        /// <summary>What came since the interval before; of the last one also what not all agents have completed.</summary>
        public ScenarioInterval TakeInterval(TimeSpan duration, bool isLast)
        {
            LiveSecond[] seconds = [.. _interval, .. isLast ? _open.Values : Enumerable.Empty<LiveSecond>()];
            _interval.Clear();
            var (ok, failed) = (LatencyHistogram.MergeAll(seconds.Select(second => second.Latency)), seconds.Sum(second => second.Failed));
            return new ScenarioInterval
            {
                Name = _whole.ScenarioName,
                Ok = Stats(ok.Count, ok, []),
                Fail = Stats(failed, new(), [.. LoadCounts.Sum(seconds.SelectMany(second => second.Errors))
                    .Select(error => new StatusCodeCount(error.Key, error.Value, "")).OrderByDescending(error => error.Count)]),
                Steps = [],
            };

            MeasurementStats Stats(long count, LatencyHistogram latency, IReadOnlyList<StatusCodeCount> codes) => new()
            {
                Model = _whole.Model,
                Count = count,
                Percent = count == 0 ? 0 : 100.0 * count / (ok.Count + failed),
                RatePerSecond = duration > TimeSpan.Zero ? count / duration.TotalSeconds : 0,
                SizeBytes = 0,
                Service = latency,
                Response = latency,
                StatusCodes = codes,
            };
        }

        public void LookUntil(long through)
        {
            _lookedUntil = through;
            foreach (var index in _open.Keys.TakeWhile(index => index < through).ToList())
            {
                if (_open.Remove(index, out var second))
                {
                    _abort.Look(second);
                    _interval.Add(second);
                }
            }
        }
    }
}
