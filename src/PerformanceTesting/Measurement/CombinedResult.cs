namespace PerformanceTesting.Measurement;

/// <summary>
/// Several scenarios that ran at the same time, as one result: sums of their counts, their histograms merged.
/// </summary>
public static class CombinedResult
{
    public static ScenarioResult Of(IReadOnlyList<ScenarioAccount> accounts, IReadOnlyList<ScenarioResult> results)
    {
        var duration = accounts.Max(account => account.Duration);
        var completed = accounts.Sum(account => account.Tally.Completed);
        var phases = accounts.SelectMany(account => account.Phases)
            .GroupBy(phase => phase.Key, phase => phase.Value, StringComparer.Ordinal);
        return results[0] with
        {
            Name = accounts[0].Scenario.GroupName
                ?? $"{results[0].Profile}-{string.Join("+", results.Select(result => result.NameWithoutProfile()))}",
            LoadModel = string.Join("; ", results.Select(result => $"{result.Name}: {result.LoadModel}")),
            DefinitionHash =
                LoadTesting.Core.Results.ContentHash.Of([.. results.Select(result => result.DefinitionHash ?? "")]),
            Operations = results.Sum(result => result.Operations),
            Concurrency = results.Sum(result => result.Concurrency),
            DurationMs = duration.TotalMilliseconds,
            ThroughputPerSecond = duration > TimeSpan.Zero ? completed / duration.TotalSeconds : 0,
            Latency = LatencyResult.From(LatencyHistogram.MergeAll(accounts.Select(account => account.Latency))),
            FailedLatency = accounts.All(account => account.Measured.Fail.Count == 0)
                ? null
                : LatencyResult.From(
                    LatencyHistogram.MergeAll(accounts.Select(account => account.Measured.Fail.Latency))),
            Clocks = new Dictionary<string, LatencyResult>(),
            Timeline = null,
            Requests = RequestResult.SumOf([.. results.Select(result => result.Requests)]),
            PhaseStarts = null,
            Phases = phases.ToDictionary(
                phase => phase.Key, phase => LatencyResult.From(LatencyHistogram.MergeAll(phase)),
                StringComparer.Ordinal),
            Ledger = LedgerResult.SumOf([.. results.Select(result => result.Ledger!)]),
            Errors = ErrorResult.SumOf(results.SelectMany(result => result.Errors ?? [])),
            Stalls = [.. results.SelectMany(result => result.Stalls ?? []).OrderBy(stall => stall.AtMs)],
            Thresholds = [.. results.SelectMany(
                result => result.Thresholds ?? [],
                (result, judged) => judged with { Metric = $"{result.Name}: {judged.Metric}" })],
            Notes =
            [
                $"The sum of {string.Join(", ", results.Select(result => result.Name))}, which ran at the same time; "
                    + "each has its own timeline.",
                .. results.SelectMany(result => result.Notes).Distinct(),
            ],
        };
    }
}
