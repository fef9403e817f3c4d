namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The headline of a run: one statement for each profile.</summary>
internal static class Headline
{
    /// <summary>A profile, whether all its scenarios passed, and the statement.</summary>
    internal sealed record Statement(string Profile, VerdictOutcome Outcome, string Text);

    public static IReadOnlyList<Statement> Of(RunResult run) =>
        [.. Measured.EachOf(run).GroupBy(one => one.Scenario.Profile)
            .Select(group => ForProfile(run, group.Key, [.. group]))];

    /// <summary>Why profiles are not ranked; null if their durability is the same or there is only one.</summary>
    public static string? NoRanking(RunResult run)
    {
        var classes = run.Scenarios.Select(scenario => scenario.Profile).Distinct()
            .Select(profile => (Profile: profile,
                Durability: run.Environment.Backends.GetValueOrDefault(profile)?.Durability ?? "unknown"))
            .ToList();
        return classes.Select(entry => entry.Durability).Distinct().Count() > 1
            ? ReportText.NoRanking(
                classes.Select(entry => $"{entry.Profile}: {ReportText.Durability(entry.Durability)}"))
            : null;
    }

    /// <summary>
    /// Product, version and durability of a profile's backend in a few words; empty when nothing is known.
    /// </summary>
    public static string BackendOf(RunResult run, string profile)
    {
        var backend = run.Environment.Backends.GetValueOrDefault(profile);
        var product = string.Join(" ", new[] { backend?.Product, backend?.Version }.OfType<string>());
        var durability = backend?.Durability is { } known ? ReportText.Durability(known) : null;
        return string.Join(", ", new[] { product.Length > 0 ? product : null, durability }.OfType<string>());
    }

    private static Statement ForProfile(RunResult run, string profile, IReadOnlyList<Measured> measured)
    {
        var scenarios = measured.Select(one => one.Scenario).ToList();
        var counts = ScenarioCounts.Of(measured);
        var text = counts.PassedOfAll()
            + Exceptions(scenarios, VerdictOutcome.Failed) + Exceptions(scenarios, VerdictOutcome.Inconclusive) + ".";

        // A search has a limit instead of a throughput.
        var passed =
            measured.Where(one => one.Capacity is null && one.Scenario.Verdict.Outcome == VerdictOutcome.Passed)
            .Select(one => one.Scenario).ToList();
        text += counts.Passed == 0
            ? " " + ReportText.NoFigure : passed.Count == 0 ? "" : " " + Best(passed);
        var backend = BackendOf(run, profile);
        var worst = RunVerdicts.Worst(scenarios.Select(scenario => scenario.Verdict.Outcome))!.Value;
        return new Statement(profile, worst, backend.Length > 0 ? $"{text} Backend: {backend}." : text);
    }

    private static string Best(IReadOnlyList<ScenarioResult> passed)
    {
        var fastest = passed.MaxBy(scenario => scenario.ThroughputPerSecond)!;
        var text = $"Highest throughput {Figures.Rate(fastest.ThroughputPerSecond)} operations/s ({Name(fastest)}, n "
            + $"{Figures.Count(fastest.Latency.N)})";
        var quickest =
            passed.Where(scenario => scenario.Latency.P50Ms is not null).MinBy(scenario => scenario.Latency.P50Ms);
        return quickest is null
            ? text + "."
            : text + $"; lowest median {Figures.Ms(quickest.Latency.P50Ms)} ms ({Name(quickest)}, "
                + $"n {Figures.Count(quickest.Latency.N)}).";
    }

    private static string Name(ScenarioResult scenario) => scenario.NameWithoutProfile();

    private static string Exceptions(IReadOnlyList<ScenarioResult> scenarios, VerdictOutcome outcome)
    {
        var names = scenarios.Where(scenario => scenario.Verdict.Outcome == outcome).Select(Name).ToList();
        return names.Count == 0 ? "" : $", {names.Count} {Figures.Word(outcome)} ({string.Join(", ", names)})";
    }
}
