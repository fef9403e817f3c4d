using LoadTesting.Core.Load;
using LoadTesting.Core.Results;

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
    /// <summary>Measures.</summary>
    /// <param name="arrange">Starts the system, with its scenarios and observers.</param>
    /// <param name="cancellationToken">Ends the measurement; its result is lost.</param>
    /// <param name="engine">Starts the measured iterations; null for the built-in engine.</param>
    public static async Task<MeasuredRun> RunAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, CancellationToken cancellationToken, ILoadEngine? engine = null)
    {
        ArgumentNullException.ThrowIfNull(arrange);
        await using var arranged = await arrange(cancellationToken);
        var (system, scenarios, observers) = (arranged.System, arranged.Scenarios, arranged.Observers);
        await WarmUpAsync(system, scenarios, cancellationToken);
        system.BeginMeasuring();
        foreach (var scenario in scenarios)
        {
            scenario.Batch = new OperationBatch(system.Awaiter, scenario.BatchOf(scenario.Operations, isWarmUp: false));
        }

        foreach (var observer in observers)
        {
            await observer.StartAsync(cancellationToken);
        }

        var load = await DriveAsync([.. scenarios.Select(s => (s, s.Batch!, s.Load))], engine, cancellationToken);
        foreach (var observer in observers.Reverse())
        {
            await observer.StopAsync(cancellationToken);
        }

        return Conclude(system, scenarios, observers, load);
    }

    private static async Task WarmUpAsync(
        IMeasuredSystem system, IReadOnlyList<MeasuredScenario> scenarios, CancellationToken cancellationToken)
    {
        (MeasuredScenario, OperationBatch, IReadOnlyList<LoadSimulation>)[] warmUps =
        [
            .. scenarios.Where(scenario => scenario.WarmUp.Count > 0).Select(scenario =>
                (scenario, new OperationBatch(system.Awaiter, scenario.BatchOf(SizeOf(scenario), isWarmUp: true)), scenario.WarmUp)),
        ];
        if (warmUps.Length > 0)
        {
            await DriveAsync(warmUps, engine: null, cancellationToken);
        }

        static int SizeOf(MeasuredScenario scenario) =>
            (int)(scenario.WarmUp.OfType<IterationsForConstantSimulation>().Sum(load => load.Iterations) / scenario.IterationsPerOperation);
    }

    /// <summary>Drives loads at the same time, and waits until the system has nothing left to do for any of them.</summary>
    private static Task<LoadResult> DriveAsync(
        IReadOnlyList<(MeasuredScenario Scenario, OperationBatch Batch, IReadOnlyList<LoadSimulation> Load)> loads, ILoadEngine? engine,
        CancellationToken cancellationToken)
    {
        var props = loads.Select(load =>
            Scenario.Create(load.Scenario.FullName, context => load.Scenario.RunAsync(context, load.Batch))
                .WithLoadSimulations([.. load.Load])).ToArray();
        var options = loads[0].Scenario.Options with
        {
            CompletionTimeout = loads.Max(load => load.Scenario.Options.CompletionTimeout),
            WhenOver = async () =>
            {
                foreach (var (_, batch, _) in loads)
                {
                    await batch.SettleAsync(cancellationToken);
                }
            },
        };
        return new LoadRunner(engine: engine).RunAsync(props, options, cancellationToken);
    }

    private static MeasuredRun Conclude(
        IMeasuredSystem system, IReadOnlyList<MeasuredScenario> scenarios, IReadOnlyList<IRunObserver> observers, LoadResult load)
    {
        var seen = system.Awaiter.Snapshot();
        var split = system.ServerSplit.Count == 0
            ? null
            : system.ServerSplit.ToDictionary(part => part.Key, part => LatencyResult.From(part.Value));
        var accounts = scenarios.Zip(
            load.Scenarios, (scenario, measured) => new ScenarioAccount(scenario, measured, scenario.Batch!.Tally)).ToArray();
        ScenarioResult[] results = [.. accounts.Select(account => account.ToResult(load, system.Hosting, split))];
        var total = results.Length == 1 ? ScenarioAccount.WithEvents(results[0], seen) : CombinedResult.Of(accounts, results, seen);
        var evidence = new RunEvidence
        {
            Load = load,
            Tallies = [.. accounts.Select(account => account.Tally)],
            ResponseSeconds = scenarios.Count == 1 ? scenarios[0].ResponseSeconds(results[0]) : total.Latency.AverageMs / 1000,
        };
        total = observers.Aggregate(total, (result, observer) => observer.AddTo(result, evidence));
        total = Verdicts.Conclude(total, accounts, evidence);
        return results.Length == 1
            ? new MeasuredRun([total], total, evidence)
            : new MeasuredRun([.. accounts.Zip(results, (account, result) => Verdicts.Conclude(result, account, load))], total, evidence);
    }
}
