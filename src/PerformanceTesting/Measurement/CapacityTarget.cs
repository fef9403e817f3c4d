using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Reporting.Tables;

namespace PerformanceTesting.Measurement;

/// <summary>
/// The target of a capacity search. Each load step gets a new system and database, so that an overloaded step does not influence
/// the next one.
/// </summary>
/// <param name="arrange">Starts a system with one scenario, whose load the steps replace.</param>
public sealed class CapacityTarget(Func<CancellationToken, Task<Arrangement>> arrange) : ICapacityTarget
{
    private readonly List<string> _violations = [];

    /// <summary>
    /// Operations that were lost, doubled or left over at any step, also at overloaded ones, and errors of the warm-ups. Empty if the
    /// system stayed correct.
    /// </summary>
    public IReadOnlyList<string> Violations => _violations;

    public Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Keep(concurrency, window / 5, window), cancellationToken);

    public Task<LoadStepResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Offer(ratePerSecond, window / 5, window), cancellationToken);

    private async Task<LoadStepResult> MeasureAsync(LoadStep step, CancellationToken cancellationToken)
    {
        var run = await MeasurementPipeline.RunAsync(
            async token =>
            {
                var arranged = await arrange(token);
                return arranged with { Scenarios = [new SteppedScenario(arranged.Scenarios.Single(), step)] };
            },
            cancellationToken);
        var result = step.ResultOf(run.Evidence.Load);
        var warmUp = run.Total.WarmUp;
        var at = result.OfferedPerSecond is { } rate ? $"{rate:0.#}/s" : $"{result.Concurrency} at a time";
        AddWarmUp(at, warmUp);
        return result with
        {
            Failed = result.Failed + AddViolations(at, run.Total.Ledger!, run.Evidence.Checks),
            GeneratorEvidence =
            [
                .. result.GeneratorEvidence ?? [],
                .. (warmUp?.Stalls ?? []).Where(stall => stall.Cause != StallCause.System).Select(WarmUpText.Sentence),
            ],
            Waits = run.Evidence.Counters?.Waits ?? [],
            Demands = run.Evidence.Resources is { } seen ? ResourceDemands.Of(seen, run.Evidence.Counters, run.Evidence.Completed) : [],
        };
    }

    /// <summary>A warm-up does not overload the system, so all its errors count.</summary>
    private void AddWarmUp(string at, WarmUpLoadResult? warmUp)
    {
        if (warmUp is not null)
        {
            _violations.AddRange(
                WarmUpText.Account(warmUp)
                    .Concat(warmUp.Stalls.Where(stall => stall.Cause == StallCause.System).Select(WarmUpText.Sentence))
                    .Select(fault => $"at {at} {fault}"));
        }
    }

    /// <summary>What an overload does not excuse. A request that was refused never became an operation.</summary>
    private long AddViolations(string at, LedgerResult ledger, IReadOnlyList<CheckResult> checks)
    {
        (string What, long Count)[] violations =
        [
            ("lost", ledger.Lost), ("completed twice", ledger.Duplicate), ("failed in the service", ledger.Failed),
            ("not over when the service was idle", ledger.Waiting + ledger.Suspended + ledger.Stuck),
        ];
        _violations.AddRange(violations.Where(violation => violation.Count > 0)
            .Select(violation => $"at {at} {Quantity.Of(violation.Count, "operation")} {Quantity.Noun(violation.Count, "was", "were")} {violation.What}"));
        var disagreements = checks.Where(check => check.Outcome == CheckOutcome.Failed && Verdicts.IsOfAccount(check)).ToArray();
        _violations.AddRange(disagreements.Select(check => $"at {at} {check.Name}: {check.Reason}"));
        return violations.Sum(violation => violation.Count) + disagreements.Length;
    }
}

internal sealed class SteppedScenario(MeasuredScenario scenario, LoadStep step) : MeasuredScenario
{
    public override string FullName => scenario.FullName;

    public override string Profile => scenario.Profile;

    public override string Tier => scenario.Tier;

    public override string? Transport => scenario.Transport;

    public override int LoadOperations => 0;

    public override int? SignalWorkers => scenario.SignalWorkers;

    public override IReadOnlyList<LoadSimulation> Load => [step.Load];

    public override IReadOnlyList<LoadSimulation> WarmUp => scenario.WarmUp;

    public override Task WarmUpAsync(Func<Task> loadAsync) => scenario.WarmUpAsync(loadAsync);

    /// <summary>
    /// In process, service and generator share a thread pool, and at some milliseconds of latency the wait for one of its threads is a
    /// quarter of it long before any limit. Below 10 ms lateness is therefore only part of the response time, which counts from the
    /// intended start, and so of p95.
    /// </summary>
    public override LoadOptions Options => scenario.Options.HealthLimits == GeneratorHealthLimits.ForSystemInSameProcess
        ? scenario.Options with { HealthLimits = scenario.Options.HealthLimits with { LagFloorMs = 10 } }
        : scenario.Options;

    public override string ContentHash => scenario.ContentHash;

    public override IReadOnlyList<string> Phases => scenario.Phases;

    public override TimeSpan ListeningTime => scenario.ListeningTime;

    public override IReadOnlyList<string> Notes => scenario.Notes;

    public override BatchOptions BatchOf(int operations, bool isWarmUp) => scenario.BatchOf(operations, isWarmUp);

    /// <summary>Operations of the warm-up are not the step's.</summary>
    public override Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch) => ReferenceEquals(batch, Batch)
        ? step.RunAsync(context, counted => scenario.RunAsync(counted, batch))
        : scenario.RunAsync(context, batch);

    public override long SamplesOf(string phase, long operations) => scenario.SamplesOf(phase, operations);

    public override LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally) =>
        scenario.HistogramOf(phase, measured, tally);

    public override double? PhaseStartMs(string phase, OperationTally tally) => scenario.PhaseStartMs(phase, tally);

    public override double? ResponseSeconds(ScenarioResult result) => scenario.ResponseSeconds(result);
}
