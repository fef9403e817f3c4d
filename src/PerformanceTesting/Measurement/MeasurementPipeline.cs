using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>
/// Turns a system and scenarios into results, the same way for workflows, payments, capacity steps and calibration:
/// arrange, warm up, observe, drive, settle, account, conclude. <see cref="MeasureAsync"/> calls the stages in order.
/// </summary>
public static class MeasurementPipeline
{
    /// <summary>
    /// In process, service and generator share a thread pool. At some milliseconds of latency the wait for one of its
    /// threads is a quarter of that latency long before any limit. In a step of a capacity search, lateness below 10 ms
    /// is therefore only part of the response time, which counts from the intended start, and so of p95.
    /// </summary>
    private const double LagFloorOfStepMs = 10;

    /// <summary>Measures once, and ends the system.</summary>
    /// <param name="arrange">Starts the system, with its scenarios and observers.</param>
    /// <param name="cancellationToken">Ends the measurement; its result is lost.</param>
    /// <param name="engine">Starts the measured iterations; null for the built-in engine.</param>
    /// <param name="interruption">
    /// Ends the load before its time, and the result so far is kept as a partial one. Before the load it ends the
    /// measurement.
    /// </param>
    public static async Task<MeasuredRun> RunAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, CancellationToken cancellationToken,
        ILoadEngine? engine = null, CancellationToken interruption = default)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, interruption);
        await using var arranged = await arrange(either.Token);
        return await MeasureAsync(arranged, engine, cancellationToken, interruption);
    }

    /// <summary>Measures once on a system that stays; it may be measured again.</summary>
    /// <param name="arranged">The system, its scenarios and observers.</param>
    /// <param name="engine">Starts the measured iterations; null for the built-in engine.</param>
    /// <param name="cancellationToken">Ends the measurement; its result is lost.</param>
    /// <param name="interruption">Ends the load before its time.</param>
    /// <param name="warmUp">The log of earlier loads that warmed up the system; null if there were none.</param>
    internal static async Task<MeasuredRun> MeasureAsync(
        Arrangement arranged, ILoadEngine? engine, CancellationToken cancellationToken,
        CancellationToken interruption = default, WarmUpLog? warmUp = null)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, interruption);
        warmUp ??= new WarmUpLog();
        await WarmUpAsync(arranged, warmUp, either.Token);
        await ObserveAsync(arranged, either.Token);
        var load = await DriveAsync(arranged, engine, cancellationToken, interruption);
        var missing = await AccountAsync(arranged, cancellationToken);
        warmUp.LeaveStalls(load);
        return Conclude(arranged, load, missing, warmUp);
    }

    /// <summary>Waits until the duration has passed since a moment.</summary>
    internal static Task ListenUntilAsync(long since, TimeSpan duration, CancellationToken cancellationToken) =>
        duration - Stopwatch.GetElapsedTime(since) is { Ticks: > 0 } rest
            ? Task.Delay(rest, cancellationToken)
            : Task.CompletedTask;

    private static async Task WarmUpAsync(Arrangement arranged, WarmUpLog log, CancellationToken cancellationToken)
    {
        arranged.Progress?.Enter(RunStage.WarmingUp);
        MeasuredScenario[] warming = [.. arranged.Scenarios.Where(scenario => scenario.WarmUp.Count > 0)];
        if (warming.Length > 0)
        {
            await warming[0].WarmUpAsync(LoadAsync);
            log.Add(arranged.System.Awaiter);
            log.Add(() => arranged.System.WarmUpDeliveries);
        }

        async Task LoadAsync()
        {
            ScenarioLoad[] loads =
            [
                .. warming.Select(scenario => new ScenarioLoad(
                    scenario, BatchOf(arranged, scenario, SizeOf(scenario), isWarmUp: true), scenario.WarmUp)),
            ];
            var options = OptionsOf(arranged, loads[0].Scenario) with
            {
                WhenOver = () => SettleAsync(loads, cancellationToken, CancellationToken.None),
            };
            var load = await RunLoadAsync(arranged, loads, options, engine: null, cancellationToken);
            log.Add(load, [.. loads.Select(one => one.Batch)]);
        }

        static int SizeOf(MeasuredScenario scenario)
        {
            var iterations = scenario.WarmUp.OfType<IterationsForConstantSimulation>().Sum(load => load.Iterations);
            return (int)(iterations / scenario.IterationsPerOperation);
        }
    }

    private static async Task ObserveAsync(Arrangement arranged, CancellationToken cancellationToken)
    {
        arranged.Progress?.Enter(RunStage.Preparing);
        arranged.System.BeginMeasuring();
        foreach (var scenario in arranged.Scenarios)
        {
            scenario.Batch = BatchOf(arranged, scenario, scenario.LoadOperations, isWarmUp: false);
        }

        await arranged.BeforeLoad.WaitAsync(cancellationToken);
        foreach (var observer in arranged.Observers)
        {
            await observer.StartAsync(cancellationToken);
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    private static Task<LoadResult> DriveAsync(
        Arrangement arranged, ILoadEngine? engine, CancellationToken cancellationToken, CancellationToken interruption)
    {
        arranged.Progress?.Enter(RunStage.Measuring);
        var loads = MeasuredLoads(arranged);
        ILoadWatcher[] watchers = [.. arranged.Observers.OfType<ILoadWatcher>()];
        var timelines = arranged.Observers.Append<object>(arranged.System).OfType<ITimelineSource>();
        var options = OptionsOf(arranged, loads[0].Scenario) with
        {
            Interval = watchers.Length == 0 ? new LoadOptions().Interval : watchers.Min(watcher => watcher.Every),
            OnInterval = watchers.Length == 0 ? null : interval => Look(watchers, interval),
            Timeline = new CombinedTimeline([.. timelines]),
            Seed = arranged.Part?.Part.Index ?? new LoadOptions().Seed,
            WaitForStart = arranged.Part is { } part ? part.WaitForStartAsync : null,
            Metrics = arranged.Progress?.Metrics,
            Interruption = interruption,
            WhenOver = () =>
            {
                arranged.Progress?.Enter(RunStage.Settling);
                return SettleAsync(loads, cancellationToken, interruption);
            },
        };
        return RunLoadAsync(arranged, loads, options, engine, cancellationToken);
    }

    /// <summary>Waits until the system has nothing left to do for any of the loads.</summary>
    private static async Task SettleAsync(
        ScenarioLoad[] loads, CancellationToken cancellationToken, CancellationToken interruption)
    {
        foreach (var load in loads)
        {
            await load.Batch.SettleAsync(cancellationToken, interruption.IsCancellationRequested);
        }
    }

    /// <summary>Stops the observers, and listens for the events that are still on their way.</summary>
    /// <returns>The events that did not come in time; null if all came.</returns>
    private static async Task<string?> AccountAsync(Arrangement arranged, CancellationToken cancellationToken)
    {
        var settled = Stopwatch.GetTimestamp();
        arranged.Progress?.Enter(RunStage.Concluding);
        foreach (var observer in arranged.Observers.Reverse())
        {
            await observer.StopAsync(cancellationToken);
        }

        var missing = await arranged.System.WaitForEventsAsync(cancellationToken);
        await ListenUntilAsync(settled, arranged.Scenarios.Max(scenario => scenario.ListeningTime), cancellationToken);
        return missing;
    }

    private static ScenarioLoad[] MeasuredLoads(Arrangement arranged) =>
    [
        .. arranged.Scenarios.Select(scenario => new ScenarioLoad(
            scenario, scenario.Batch!, arranged.Step is { } step ? [step.Load] : scenario.Load, arranged.Step)),
    ];

    private static LoadOptions OptionsOf(Arrangement arranged, MeasuredScenario scenario)
    {
        var options = scenario.Options;
        return arranged.Step is not null && options.HealthLimits == GeneratorHealthLimits.ForSystemInSameProcess
            ? options with { HealthLimits = options.HealthLimits with { LagFloorMs = LagFloorOfStepMs } }
            : options;
    }

    private static OperationBatch BatchOf(
        Arrangement arranged, MeasuredScenario scenario, int operations, bool isWarmUp)
    {
        var batch = new OperationBatch(arranged.System.Awaiter, scenario.BatchOf(operations, isWarmUp) with
        {
            KeyPrefix = arranged.Part?.Part.KeyPrefix ?? "",
        });
        if (isWarmUp)
        {
            arranged.Part?.AddWarmUp(batch.Tally);
        }

        return batch;
    }

    /// <summary>Runs the loads at the same time; of a load in parts, the share of this part.</summary>
    private static Task<LoadResult> RunLoadAsync(
        Arrangement arranged, ScenarioLoad[] loads, LoadOptions options, ILoadEngine? engine,
        CancellationToken cancellationToken)
    {
        var scenarios = PropsOf(loads);
        return new LoadRunner(engine: engine).RunAsync(
            arranged.Part is { } part ? [.. scenarios.Select(scenario => scenario.ShareOf(part.Part))] : scenarios,
            options with
            {
                CompletionTimeout = loads.Max(load => load.Scenario.Options.CompletionTimeout),
                Refusals =
                    name => loads.First(load => load.Scenario.FullName == name).Batch.Tally.Count(SendOutcome.Refused),
            },
            cancellationToken);
    }

    private static ScenarioProps[] PropsOf(ScenarioLoad[] loads) =>
    [
        .. loads.Select(load => Scenario.Create(load.Scenario.FullName, context => load.RunAsync(context))
            .WithLoadSimulations([.. load.Simulations])
            .WithThresholds([.. load.Step is null ? load.Scenario.Thresholds : []])),
    ];

    private static void Look(ILoadWatcher[] watchers, LoadInterval interval)
    {
        string[] reasons = [.. watchers.Select(watcher => watcher.Look(interval)).OfType<string>()];
        foreach (var reason in interval.IsLast ? [] : reasons)
        {
            interval.StopCurrentTest(reason);
        }
    }

    /// <param name="missing">The events that did not come in time; null if all came.</param>
    private static MeasuredRun Conclude(Arrangement arranged, LoadResult load, string? missing, WarmUpLog warmUp)
    {
        var (system, scenarios, seen) = (arranged.System, arranged.Scenarios, arranged.System.Awaiter.Snapshot());
        var split = system.ServerSplit.Count == 0
            ? null
            : system.ServerSplit.ToDictionary(part => part.Key, part => LatencyResult.From(part.Value));
        var whole = arranged.Part is null ? null : PropsOf(MeasuredLoads(arranged));
        var accounts = scenarios.Select((scenario, place) => new ScenarioAccount(
            scenario, load.Scenarios[place], scenario.Batch!.Tally, load.IsInterrupted,
            whole?[place].LoadSimulations.Select(simulation => $"{simulation}").ToArray())).ToArray();
        ScenarioResult[] results =
        [
            .. accounts.Select(account => account.ToResult(load, system.Hosting, split) with
            {
                Part = arranged.Part?.ToResult(load), WarmUp = warmUp.Of(account.Scenario.FullName),
            }),
        ];
        var measured = results is [var single] ? single : CombinedResult.Of(accounts, results);
        var evidence = new RunEvidence
        {
            Measured = measured,
            Load = load,
            Tallies = [.. accounts.Select(account => account.Tally)],
            Events = seen,
            EventsAreOrdered = system.EventsAreOrdered,
            MissingEvents = missing,
            ResponseSeconds = scenarios.Count == 1
                ? scenarios[0].ResponseSeconds(measured)
                : measured.Latency.AverageMs / 1000,
            WarmUp = warmUp,
        };
        foreach (var observer in arranged.Observers)
        {
            observer.AddTo(evidence);
        }

        var total = Conclude(accounts, evidence);
        if (results.Length > 1)
        {
            results = [.. accounts.Zip(results, (account, result) => Conclude(result, account, evidence))];
            return new MeasuredRun(results, total, evidence);
        }

        return new MeasuredRun([total], total, evidence);
    }

    /// <summary>
    /// The result of one of several scenarios: what concerns the system as a whole is judged with their sum.
    /// </summary>
    private static ScenarioResult Conclude(ScenarioResult result, ScenarioAccount account, RunEvidence evidence) =>
        DrivenPart.WithoutVerdict(result with
        {
            Verdict = Verdicts.Judge(Of(result, evidence.Load) with
            {
                Failures = [.. account.Failures()], Saturation = evidence.Saturation,
            }),
        });

    /// <summary>The result of the run, with its validity.</summary>
    private static ScenarioResult Conclude(IReadOnlyList<ScenarioAccount> accounts, RunEvidence evidence)
    {
        WarmUpResult? warmUp = null;
        if (accounts is [var only])
        {
            (warmUp, var checks) = only.WarmUpOf();
            evidence.Checks.AddRange(checks);
        }

        var result = evidence.ToResult(warmUp);
        return DrivenPart.WithoutVerdict(result with
        {
            Verdict = Verdicts.Judge(Of(result, evidence.Load) with
            {
                Failures = [.. accounts.SelectMany(account => account.Failures())],
                Checks = [.. evidence.Checks],
                Events = evidence.Events,
                EventsAreOrdered = evidence.EventsAreOrdered,
                MissingEvents = evidence.MissingEvents,
                Saturation = evidence.Saturation,
                Host = evidence.Host,
            }),
        });
    }

    private static VerdictEvidence Of(ScenarioResult result, LoadResult load) => new()
    {
        Tier = result.Tier,
        Ledger = result.Ledger!,
        Partial = result.Partial,
        Thresholds = result.Part is null ? result.Thresholds ?? [] : [],
        Stalls = result.Stalls ?? [],
        WarmUp = result.WarmUp,
        Generator = load.Health.Figures.Evidence,
        StopReason = load.StopReason,
    };

    /// <summary>What one scenario runs, in the warm-up or in the measured load.</summary>
    /// <param name="Step">Counts the operations of a step of a capacity search; null in every other load.</param>
    private sealed record ScenarioLoad(
        MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Simulations,
        LoadStep? Step = null)
    {
        public Task<IResponse> RunAsync(IScenarioContext context) => Step is null
            ? Scenario.RunAsync(context, Batch)
            : Step.RunAsync(context, counted => Scenario.RunAsync(counted, Batch));
    }
}
