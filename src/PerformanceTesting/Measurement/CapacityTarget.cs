using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Reporting.Tables;

namespace PerformanceTesting.Measurement;

/// <summary>
/// The target of a capacity search. Each load step gets a new system and database, so that an overloaded step does not
/// influence the next one.
/// </summary>
/// <param name="arrange">
/// Starts a system with one scenario. The steps replace its load, so it has no number of operations.
/// </param>
public sealed class CapacityTarget(Func<CancellationToken, Task<Arrangement>> arrange) : ICapacityTarget
{
    private readonly List<string> _violations = [];

    /// <summary>
    /// Operations that were lost, doubled or left over at any step, also at overloaded ones, and errors of the
    /// warm-ups. Empty if the system stayed correct.
    /// </summary>
    public IReadOnlyList<string> Violations => _violations;

    public Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Keep(concurrency, window / 5, window), cancellationToken);

    public Task<LoadStepResult> OfferAsync(
        double ratePerSecond, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Offer(ratePerSecond, window / 5, window), cancellationToken);

    private async Task<LoadStepResult> MeasureAsync(LoadStep step, CancellationToken cancellationToken)
    {
        var run = await MeasurementPipeline.RunAsync(
            async token => (await arrange(token)) with { Step = step }, cancellationToken);
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
            Demands = run.Evidence.Resources is { } seen
                ? ResourceDemands.Of(seen, run.Evidence.Counters, run.Evidence.Completed)
                : [],
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
        foreach (var (what, count) in violations.Where(violation => violation.Count > 0))
        {
            var operations = Quantity.Of(count, "operation");
            _violations.Add($"at {at} {operations} {Quantity.Noun(count, "was", "were")} {what}");
        }

        var disagreements = checks
            .Where(check => check.Outcome == CheckOutcome.Failed && Verdicts.IsOfAccount(check)).ToArray();
        _violations.AddRange(disagreements.Select(check => $"at {at} {check.Name}: {check.Reason}"));
        return violations.Sum(violation => violation.Count) + disagreements.Length;
    }
}
