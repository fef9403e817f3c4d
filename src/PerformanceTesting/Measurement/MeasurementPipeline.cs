using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>What a measurement gave.</summary>
/// <param name="Results">One for each scenario, in their order.</param>
/// <param name="Total">The only result, or the sum of several scenarios that ran at the same time.</param>
/// <param name="Evidence">What was seen of the run.</param>
public sealed record MeasuredRun(IReadOnlyList<ScenarioResult> Results, ScenarioResult Total, RunEvidence Evidence);

/// <summary>
/// The way from a system and scenarios to results, the same for workflows, payments, capacity steps and calibration: arrange, warm up,
/// observe, drive, settle, account, conclude.
/// </summary>
public static class MeasurementPipeline
{
    /// <param name="arrange">Starts the system, with its scenarios and observers.</param>
    /// <param name="cancellationToken">Ends the measurement; its result is lost.</param>
    /// <param name="engine">Starts the measured iterations; null for the built-in engine.</param>
    /// <param name="interruption">
    /// Ends the load before its time, and the result so far is kept as a partial one. Before the load it ends the measurement.
    /// </param>
    public static async Task<MeasuredRun> RunAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, CancellationToken cancellationToken, ILoadEngine? engine = null,
        CancellationToken interruption = default)
    {
        ArgumentNullException.ThrowIfNull(arrange);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, interruption);
        await using var arranged = await arrange(either.Token);
        return await MeasureAsync(arranged, engine, cancellationToken, interruption);
    }

    /// <summary>Measures as <see cref="RunAsync"/> does, and leaves the system as it is: its events are listened to on.</summary>
    public static async Task<(MeasuredRun Run, LateEvents Late)> RunAndListenAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, CancellationToken cancellationToken, ILoadEngine? engine = null,
        CancellationToken interruption = default)
    {
        ArgumentNullException.ThrowIfNull(arrange);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, interruption);
        var arranged = await arrange(either.Token);
        try
        {
            var run = await MeasureAsync(arranged, engine, cancellationToken, interruption);
            return (run, new LateEvents(arranged, run));
        }
        catch
        {
            await arranged.DisposeAsync();
            throw;
        }
    }

    /// <summary>Measures once on a system that stays; it may be measured again.</summary>
    internal static async Task<MeasuredRun> MeasureAsync(
        Arrangement arranged, ILoadEngine? engine, CancellationToken cancellationToken, CancellationToken interruption = default)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, interruption);
        var (system, scenarios, observers) = (arranged.System, arranged.Scenarios, arranged.Observers);
        arranged.Progress?.Enter(RunStage.WarmingUp);
        await WarmUpAsync(arranged, either.Token);
        arranged.Progress?.Enter(RunStage.Preparing);
        system.BeginMeasuring();
        foreach (var scenario in scenarios)
        {
            scenario.Batch = BatchOf(arranged, scenario, scenario.Operations, isWarmUp: false);
        }

        foreach (var observer in observers)
        {
            await observer.StartAsync(either.Token);
        }

        either.Token.ThrowIfCancellationRequested();

        arranged.Progress?.Enter(RunStage.Measuring);
        var timeline = new CombinedTimeline([.. observers.Append<object>(system).OfType<ITimelineSource>()]);
        (MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Load)[] loads = [.. scenarios.Select(Whole)];
        var load = await DriveAsync(loads, engine, cancellationToken, timeline, arranged, interruption, arranged.Part);
        var settled = Stopwatch.GetTimestamp();
        arranged.Progress?.Enter(RunStage.Concluding);
        foreach (var observer in observers.Reverse())
        {
            await observer.StopAsync(cancellationToken);
        }

        var missing = await system.WaitForEventsAsync(cancellationToken);
        await ListenUntilAsync(settled, scenarios.Max(scenario => scenario.ListensOnFor), cancellationToken);
        return Conclude(arranged, load, missing);
    }

    private static (MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Load) Whole(MeasuredScenario scenario) =>
        (scenario, scenario.Batch!, scenario.Load);

    /// <summary>Waits until so long after a moment, if that is not over yet.</summary>
    internal static Task ListenUntilAsync(long since, TimeSpan duration, CancellationToken cancellationToken) =>
        duration - Stopwatch.GetElapsedTime(since) is { Ticks: > 0 } rest ? Task.Delay(rest, cancellationToken) : Task.CompletedTask;

    private static OperationBatch BatchOf(Arrangement arranged, MeasuredScenario scenario, int operations, bool isWarmUp)
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

    private static async Task WarmUpAsync(Arrangement arranged, CancellationToken cancellationToken)
    {
        MeasuredScenario[] warming = [.. arranged.Scenarios.Where(scenario => scenario.WarmUp.Count > 0)];
        if (warming.Length > 0)
        {
            await warming[0].WarmUpAsync(LoadAsync);
        }

        Task LoadAsync() => DriveAsync(
            [
                .. warming.Select(scenario => (
                    scenario, BatchOf(arranged, scenario, SizeOf(scenario), isWarmUp: true), scenario.WarmUp)),
            ],
            engine: null, cancellationToken, part: arranged.Part);

        static int SizeOf(MeasuredScenario scenario) =>
            (int)(scenario.WarmUp.OfType<IterationsForConstantSimulation>().Sum(load => load.Iterations) / scenario.IterationsPerOperation);
    }

    /// <summary>Drives loads at the same time, and waits until the system has nothing left to do for any of them.</summary>
    private static Task<LoadResult> DriveAsync(
        IReadOnlyList<(MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Load)> loads, ILoadEngine? engine,
        CancellationToken cancellationToken, ITimelineSource? timeline = null, Arrangement? arranged = null,
        CancellationToken interruption = default, DrivenPart? part = null) => new LoadRunner(engine: engine).RunAsync(
            part is null ? PropsOf(loads) : [.. PropsOf(loads).Select(scenario => scenario.ShareOf(part.Part))],
            OptionsOf(loads, timeline ?? loads[0].Scenario.Options.Timeline, arranged, cancellationToken, interruption), cancellationToken);

    private static ScenarioProps[] PropsOf(
        IReadOnlyList<(MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Load)> loads) =>
    [
        .. loads.Select(load => Scenario.Create(load.Scenario.FullName, context => load.Scenario.RunAsync(context, load.Batch))
            .WithLoadSimulations([.. load.Load]).WithThresholds([.. load.Scenario.Thresholds])),
    ];

    private static LoadOptions OptionsOf(
        IReadOnlyList<(MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Load)> loads,
        ITimelineSource timeline, Arrangement? arranged, CancellationToken cancellationToken, CancellationToken interruption)
    {
        ILoadWatcher[] watchers = [.. arranged?.Observers.OfType<ILoadWatcher>() ?? []];
        return loads[0].Scenario.Options with
        {
            Interval = watchers.Length == 0 ? new LoadOptions().Interval : watchers.Min(watcher => watcher.Every),
            OnInterval = watchers.Length == 0 ? null : interval => Look(watchers, interval),
            CompletionTimeout = loads.Max(load => load.Scenario.Options.CompletionTimeout),
            Timeline = timeline,
            Seed = arranged?.Part?.Part.Index ?? new LoadOptions().Seed,
            WaitForStart = arranged?.Part is { } part ? part.WaitForStartAsync : null,
            Metrics = arranged?.Metrics,
            Interruption = interruption,
            Refusals = name => loads.First(load => load.Scenario.FullName == name).Batch.Refused,
            WhenOver = async () =>
            {
                arranged?.Progress?.Enter(RunStage.Settling);
                foreach (var (_, batch, _) in loads)
                {
                    await batch.SettleAsync(cancellationToken, interruption.IsCancellationRequested);
                }
            },
        };
    }

    private static void Look(ILoadWatcher[] watchers, LoadInterval interval)
    {
        foreach (var reason in watchers.Select(watcher => watcher.Look(interval)).OfType<string>().ToList())
        {
            // What has ended by itself is not stopped.
            (interval.IsLast ? _ => { } : interval.StopCurrentTest)(reason);
        }
    }

    /// <param name="missing">Which events have not come in time; null where all have.</param>
    private static MeasuredRun Conclude(Arrangement arranged, LoadResult load, string? missing)
    {
        var (system, scenarios, seen) = (arranged.System, arranged.Scenarios, arranged.System.Awaiter.Snapshot());
        var split = system.ServerSplit.Count == 0
            ? null
            : system.ServerSplit.ToDictionary(part => part.Key, part => LatencyResult.From(part.Value));
        var whole = arranged.Part is null ? null : PropsOf([.. scenarios.Select(Whole)]);
        var accounts = scenarios.Select((scenario, place) => new ScenarioAccount(
            scenario, load.Scenarios[place], scenario.Batch!.Tally, load.IsInterrupted,
            whole?[place].LoadSimulations.Select(simulation => $"{simulation}").ToArray())).ToArray();
        ScenarioResult[] results =
        [
            .. accounts.Select(account => account.ToResult(load, system.Hosting, split) with { Part = arranged.Part?.ToResult(load) }),
        ];
        var total = results.Length == 1 ? ScenarioAccount.WithEvents(results[0], seen) : CombinedResult.Of(accounts, results, seen);
        var evidence = new RunEvidence
        {
            Load = load,
            Tallies = [.. accounts.Select(account => account.Tally)],
            Events = seen,
            EventsAreOrdered = system.EventsAreOrdered,
            MissingEvents = missing,
            ResponseSeconds = scenarios.Count == 1 ? scenarios[0].ResponseSeconds(results[0]) : total.Latency.AverageMs / 1000,
        };
        total = arranged.Observers.Aggregate(total, (result, observer) => observer.AddTo(result, evidence));
        total = Conclude(total, accounts, evidence);
        return results.Length == 1
            ? new MeasuredRun([total], total, evidence)
            : new MeasuredRun([.. accounts.Zip(results, (account, result) => Conclude(result, account, evidence))], total, evidence);
    }

    /// <summary>The result of one of several scenarios: what concerns the system as a whole is judged with their sum.</summary>
    private static ScenarioResult Conclude(ScenarioResult result, ScenarioAccount account, RunEvidence evidence) =>
        DrivenPart.WithoutVerdict(result with
        {
            Verdict = Verdicts.Judge(Of(result, evidence.Load) with
            {
                Failures = [.. account.Failures()], Saturation = evidence.Saturation,
            }),
        });

    /// <summary>The result of the run, with its validity.</summary>
    private static ScenarioResult Conclude(ScenarioResult result, IReadOnlyList<ScenarioAccount> accounts, RunEvidence evidence)
    {
        WarmUpResult? warmUp = null;
        if (accounts is [var only])
        {
            (warmUp, var checks) = only.WarmUpOf();
            evidence.Checks.AddRange(checks);
        }

        return DrivenPart.WithoutVerdict(result with
        {
            Validity = new ValidityResult
            {
                Checks = [.. evidence.Checks],
                Environment = evidence.Environment,
                LittlesLaw = evidence.LittlesLaw,
                WarmUp = warmUp,
                Leaks = evidence.Leaks,
            },
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
        Generator = load.Health.Verdict == GeneratorVerdict.Bound ? [.. load.Health.Evidence.Select(e => e.Text)] : [],
        StopReason = load.StopReason,
    };
}

/// <summary>
/// Listens on to a system whose run has its verdict: an event that comes a second time only now is a duplicate all the same. Disposing ends
/// the system.
/// </summary>
public sealed class LateEvents : IAsyncDisposable
{
    private readonly Arrangement _arranged;
    private readonly RunEvents _events;
    private readonly long _since = Stopwatch.GetTimestamp();

    internal LateEvents(Arrangement arranged, MeasuredRun run) =>
        (_arranged, _events) = (arranged, new RunEvents(run, arranged.System.Awaiter));

    /// <summary>The full name of what ran.</summary>
    internal string Scenario => _events.Run.Total.Name;

    /// <summary>Listens until at least so long after the verdict.</summary>
    /// <returns>The result as it must be now, with its verdict; null where nothing more came.</returns>
    public async Task<ScenarioResult?> EndAsync(TimeSpan atLeast, CancellationToken cancellationToken)
    {
        await MeasurementPipeline.ListenUntilAsync(_since, atLeast, cancellationToken);
        return _events.ResultNow();
    }

    public ValueTask DisposeAsync() => _arranged.DisposeAsync();
}

/// <summary>A run that has its verdict, and the events of its operations that still come.</summary>
internal sealed record RunEvents(MeasuredRun Run, EventAwaiter Awaiter)
{
    /// <summary>The result as it must be now, with its verdict; null where nothing more came.</summary>
    public ScenarioResult? ResultNow()
    {
        var more = Awaiter.Snapshot().Duplicate - Run.Evidence.Events.Duplicate;
        if (more <= 0)
        {
            return null;
        }

        var total = Run.Total;
        string[] reasons = total.Verdict.Outcome == VerdictOutcome.Failed ? [.. total.Verdict.Reasons] : [];
        return DrivenPart.WithoutVerdict(total with
        {
            Ledger = total.Ledger! with { Duplicate = total.Ledger.Duplicate + more },
            Verdict = new(VerdictOutcome.Failed, [.. reasons, $"{more} events came a second time after the verdict of the run"]),
        });
    }
}
