namespace LoadTesting.Core.Analysis;

/// <summary>
/// A scenario of a run beside the newest accepted baseline that compares with it, else the newest that holds it.
/// </summary>
/// <param name="Scenario">The result.</param>
/// <param name="Baseline">The run that holds the baseline; null where none does.</param>
/// <param name="Reference">The scenario there; null with it.</param>
/// <param name="Cell">
/// How the result stands to it: one run against one run, a reason to repeat and no proof. Null with it.
/// </param>
public sealed record BaselineRow(
    ScenarioResult Scenario, RunResult? Baseline, ScenarioResult? Reference, ComparisonCell? Cell)
{
    public ComparisonFinding Finding => Cell?.Finding ?? ComparisonFinding.Missing;

    /// <summary>What forbids a ratio; empty where nothing does.</summary>
    public IReadOnlyList<ComparisonDifference> Unlike => [.. Cell?.Unlike ?? []];

    /// <summary>Each scenario of a run, in its order.</summary>
    /// <param name="baselines">Accepted baselines, the newest last; of those that are older than the run.</param>
    public static IReadOnlyList<BaselineRow> Of(RunResult run, IReadOnlyList<RunResult> baselines) =>
        [.. run.Scenarios.Select(scenario => Of(run, scenario, baselines))];

    private static BaselineRow Of(RunResult run, ScenarioResult scenario, IReadOnlyList<RunResult> baselines)
    {
        var found = baselines.Where(baseline => baseline.CreatedUtc < run.CreatedUtc)
            .SelectMany(baseline => baseline.Scenarios
                .Where(other => other.Name == scenario.Name && other.Hosting == scenario.Hosting).TakeLast(1)
                .Select(other => new BaselineRow(scenario, baseline, other, CellOf(baseline, other, run, scenario))))
            .ToList();
        return found.FindLast(row => row.Finding != ComparisonFinding.NotRanked)
            ?? found.LastOrDefault() ?? new BaselineRow(scenario, null, null, null);
    }

    private static ComparisonCell CellOf(
        RunResult baseline, ScenarioResult reference, RunResult run, ScenarioResult scenario)
    {
        var sides = new[] { OnlyScenario(baseline, reference), OnlyScenario(run, scenario) };
        return Comparison.Of([.. sides.Select(side => new ComparisonSource(side.RunId, side))]).Rows[0].Cells[1];
    }

    private static RunResult OnlyScenario(RunResult run, ScenarioResult scenario) =>
        run with { Scenarios = [scenario], Capacity = [] };
}
