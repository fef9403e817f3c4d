using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a run says in words: one statement for each profile.</summary>
internal static class Headline
{
    /// <summary>A profile, whether all its scenarios passed, and the statement.</summary>
    internal sealed record Statement(string Profile, VerdictOutcome Outcome, string Text);

    public static IReadOnlyList<Statement> Of(RunResult run) =>
        [.. run.Scenarios.GroupBy(scenario => scenario.Profile).Select(group => ForProfile(run, group.Key, [.. group]))];

    /// <summary>Why profiles stand side by side without a ranking; null when their durability is alike or there is one.</summary>
    public static string? NoRanking(RunResult run)
    {
        var classes = run.Scenarios.Select(scenario => scenario.Profile).Distinct()
            .Select(profile => (Profile: profile, Durability: run.Environment.Backends.GetValueOrDefault(profile)?.Durability ?? "unknown"))
            .ToList();
        return classes.Select(entry => entry.Durability).Distinct().Count() > 1
            ? $"Durability differs ({string.Join(", ", classes.Select(entry => $"{entry.Profile}: {entry.Durability}"))}), so the profiles are not ranked."
            : null;
    }

    /// <summary>Product, version and durability of a profile's backend in a few words; empty when nothing is known.</summary>
    public static string BackendOf(RunResult run, string profile)
    {
        var backend = run.Environment.Backends.GetValueOrDefault(profile);
        var product = string.Join(" ", new[] { backend?.Product, backend?.Version }.OfType<string>());
        var durability = backend?.Durability is { } known ? "durability: " + known : null;
        return string.Join(", ", new[] { product.Length > 0 ? product : null, durability }.OfType<string>());
    }

    private static Statement ForProfile(RunResult run, string profile, IReadOnlyList<ScenarioResult> scenarios)
    {
        var passed = scenarios.Where(scenario => scenario.Verdict.Outcome == VerdictOutcome.Passed).ToList();
        var text = $"{passed.Count} of {scenarios.Count} {(scenarios.Count == 1 ? "scenario" : "scenarios")} passed"
            + Exceptions(scenarios, VerdictOutcome.Failed) + Exceptions(scenarios, VerdictOutcome.Inconclusive) + ".";
        text += passed.Count == 0 ? " No figure is quoted, since none passed." : " " + Best(passed);
        var backend = BackendOf(run, profile);
        return new Statement(profile, Worst(scenarios), backend.Length > 0 ? $"{text} Backend: {backend}." : text);
    }

    private static string Best(IReadOnlyList<ScenarioResult> passed)
    {
        var fastest = passed.MaxBy(scenario => scenario.ThroughputPerSecond)!;
        var text = $"Highest throughput {Figures.Rate(fastest.ThroughputPerSecond)} operations/s ({Name(fastest)}, n {Figures.Count(fastest.Latency.N)})";
        var quickest = passed.Where(scenario => scenario.Latency.P50Ms is not null).MinBy(scenario => scenario.Latency.P50Ms);
        return quickest is null
            ? text + "."
            : text + $"; lowest median {Figures.Ms(quickest.Latency.P50Ms)} ms ({Name(quickest)}, n {Figures.Count(quickest.Latency.N)}).";
    }

    private static string Name(ScenarioResult scenario) => scenario.NameWithoutProfile();

    private static string Exceptions(IReadOnlyList<ScenarioResult> scenarios, VerdictOutcome outcome)
    {
        var names = scenarios.Where(scenario => scenario.Verdict.Outcome == outcome).Select(Name).ToList();
        return names.Count == 0 ? "" : $", {names.Count} {Figures.Word(outcome)} ({string.Join(", ", names)})";
    }

    private static VerdictOutcome Worst(IReadOnlyList<ScenarioResult> scenarios) =>
        scenarios.Any(scenario => scenario.Verdict.Outcome == VerdictOutcome.Failed) ? VerdictOutcome.Failed
        : scenarios.Any(scenario => scenario.Verdict.Outcome == VerdictOutcome.Inconclusive) ? VerdictOutcome.Inconclusive
        : VerdictOutcome.Passed;
}
