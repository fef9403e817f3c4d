namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The first lines of a report: the verdict in one sentence, and the figures of the whole run.</summary>
internal static class RunTiles
{
    private const string P95 = "p95Ms";

    /// <param name="Title">What the tile shows.</param>
    /// <param name="Value">Its figure or word.</param>
    /// <param name="Note">What belongs to it.</param>
    /// <param name="Outcome">Good or bad news; null for neither.</param>
    internal sealed record Tile(string Title, string Value, string Note, VerdictOutcome? Outcome = null);

    /// <summary>The verdict, and whether anything is slower than the baseline.</summary>
    public static string Sentence(RunResult run, IReadOnlyList<BaselineRow> rows)
    {
        var partial = run.Partial is null ? "" : "Partial run: ";
        var counts = ScenarioCounts.Of(run);
        if (counts.All == 0)
        {
            return partial + (run.Capacity.Count > 0 ? ReportText.OnlyLoadSteps
                : ReportText.NoScenario);
        }

        return $"{partial}{Verdict(counts)}{AgainstBaseline(rows)}.";
    }

    public static IReadOnlyList<Tile> Of(RunResult run) =>
        [Verdict(run), Operations(run), Errors(run), .. WorstP95(run), Machine(run)];

    /// <summary>Operations that ended badly, by kind; empty if there are none.</summary>
    public static IReadOnlyList<(string Kind, long Count)> ErrorsOf(ScenarioResult scenario)
    {
        (string Kind, long Count)[] kinds = scenario.Ledger is { } ledger
            ?
            [
                ("failed", ledger.Failed), ("dead-lettered", ledger.DeadLettered), ("stuck", ledger.Stuck),
                ("refused", ledger.Refused), ("dropped", ledger.Dropped), ("unknown", ledger.Unknown),
                ("lost", ledger.Lost), ("duplicate", ledger.Duplicate),
            ]
            : [("failed", (scenario.Errors ?? []).Sum(error => error.Count))];
        return [.. kinds.Where(kind => kind.Count > 0)];
    }

    /// <summary>The threshold of the scenario for its p95, milliseconds; null if it declares none.</summary>
    public static double? P95LimitOf(ScenarioResult scenario) => (scenario.Thresholds ?? [])
        .Where(rule => rule.Metric == P95 && rule.Limit.StartsWith("<= ", StringComparison.Ordinal))
        .Select(rule => double.TryParse(rule.Limit[3..], CultureInfo.InvariantCulture, out var limit)
            ? limit : (double?)null)
        .Min();

    private static string Verdict(ScenarioCounts counts)
    {
        if (counts.Failed > 0)
        {
            return $"{Quantity.Of(counts.Failed, counts.All, "scenario")} failed" + (counts.Inconclusive == 0 ? ""
                : $", {counts.Inconclusive} {Quantity.Noun(counts.Inconclusive, "is", "are")} inconclusive");
        }

        if (counts.Inconclusive > 0)
        {
            return $"{Quantity.Of(counts.Inconclusive, counts.All, "scenario")} "
                + $"{Quantity.Noun(counts.Inconclusive, "is", "are")} inconclusive"
                + (counts.Passed == 0 ? "" : $", {Figures.Count(counts.Passed)} passed");
        }

        return counts.All == 1 ? "The scenario passed" : $"All {counts.Number()} passed";
    }

    private static string AgainstBaseline(IReadOnlyList<BaselineRow> rows)
    {
        var compared = rows.Count(BaselineText.IsCompared);
        var worse = rows.Count(BaselineText.IsWorse);
        if (compared == 0)
        {
            return "";
        }

        var which = compared == rows.Count ? "" : $" of the {Figures.Count(compared)} that can be compared";
        return worse == 0
            ? $"; none{which} is slower than the baseline"
            : $"; {Figures.Count(worse)}{which} {Quantity.Noun(worse, "is", "are")} slower than the baseline";
    }

    private static Tile Verdict(RunResult run)
    {
        var worst = RunVerdicts.Worst(run);
        return new("Verdict", worst is { } outcome ? Figures.Word(outcome) : "none", ScenarioCounts.Of(run).Verdicts(),
            worst);
    }

    private static Tile Operations(RunResult run)
    {
        var completed = run.Scenarios.Sum(scenario => scenario.Ledger?.Completed ?? scenario.Latency.N);
        var requested = run.Scenarios.Sum(scenario => scenario.Ledger?.Requested ?? scenario.Operations);
        return new("Operations", Figures.Count(completed), completed == requested
            ? $"completed in {Quantity.Of(run.Scenarios.Count, "scenario")}"
            : $"completed of {Figures.Count(requested)} requested");
    }

    private static Tile Errors(RunResult run)
    {
        var kinds = run.Scenarios.SelectMany(ErrorsOf).GroupBy(error => error.Kind, error => error.Count)
            .Select(kind => (Kind: kind.Key, Count: kind.Sum())).OrderByDescending(kind => kind.Count).ToList();
        return kinds.Count == 0
            ? new("Errors", "0", ReportText.NoErrors)
            : new("Errors", Figures.Count(kinds.Sum(kind => kind.Count)),
                string.Join(", ", kinds.Select(kind => $"{Figures.Count(kind.Count)} {kind.Kind}")),
                VerdictOutcome.Failed);
    }

    /// <summary>The p95 nearest to or furthest beyond its threshold; without thresholds the highest.</summary>
    private static IEnumerable<Tile> WorstP95(RunResult run)
    {
        var measured = run.Scenarios.Where(scenario => scenario.Latency.P95Ms is not null)
            .Select(scenario => (scenario.Name, P95: scenario.Latency.P95Ms!.Value, Limit: P95LimitOf(scenario)))
            .ToList();
        if (measured.Count == 0)
        {
            yield break;
        }

        var limited = measured.Where(one => one.Limit is > 0).ToList();
        if (limited.Count == 0)
        {
            var slowest = measured.MaxBy(one => one.P95);
            yield return new("Worst p95", $"{Figures.Ms(slowest.P95)} ms",
                $"{slowest.Name}; no scenario declares a threshold for p95");
            yield break;
        }

        var worst = limited.MaxBy(one => one.P95 / one.Limit);
        yield return new("Worst p95", $"{Figures.Ms(worst.P95)} ms",
            $"{Figures.Percent(worst.P95 / worst.Limit)} of the threshold of {Figures.Counter(worst.Limit)} ms: "
                + worst.Name,
            worst.P95 > worst.Limit ? VerdictOutcome.Failed : VerdictOutcome.Passed);
    }

    private static Tile Machine(RunResult run)
    {
        var environment = run.Environment;
        var size = string.Join(", ", new[]
        {
            environment.Cores is { } cores ? Quantity.Of(cores, "core") : null,
            environment.MemoryBytes is { } bytes ? Figures.Gibibytes(bytes) : null,
        }.OfType<string>());
        var profiles = run.Scenarios.Select(scenario => scenario.Profile)
            .Concat(run.Capacity.Select(capacity => capacity.Profile)).Distinct()
            .Select(profile => $"{profile}: {Durability(environment.Backends.GetValueOrDefault(profile)?.Durability)}");
        return new("Machine and durability", size.Length == 0 ? "unknown" : size,
            string.Join("; ", new[] { environment.CpuModel }.OfType<string>().Concat(profiles)));
    }

    // "not durable: memory" explains itself in the table of the backend; a tile shows the class.
    private static string Durability(string? durability) => durability?.Split(':')[0] ?? "durability unknown";
}
