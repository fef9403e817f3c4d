namespace LoadTesting.Core.Analysis;

/// <summary>A scenario of a run beside the newest accepted baseline that holds it.</summary>
/// <param name="Scenario">The result.</param>
/// <param name="Baseline">The run that holds the baseline; null where none does.</param>
/// <param name="Reference">The scenario there; null with it.</param>
/// <param name="Finding">How the result stands to it: one run against one run, a reason to repeat and no proof.</param>
public sealed record BaselineRow(ScenarioResult Scenario, RunResult? Baseline, ScenarioResult? Reference, ComparisonFinding Finding)
{
    /// <summary>Throughput over the baseline's; null unless the two are alike.</summary>
    public double? ThroughputRatio { get; init; }

    /// <summary>Median latency over the baseline's; null unless the two are alike.</summary>
    public double? LatencyRatio { get; init; }

    /// <summary>What forbids a ratio; empty where nothing does.</summary>
    public IReadOnlyList<ComparisonDifference> Unlike { get; init; } = [];

    /// <summary>Each scenario of a run, in its order.</summary>
    /// <param name="baselines">Accepted baselines, the newest last; of those that are older than the run.</param>
    public static IReadOnlyList<BaselineRow> Of(RunResult run, IReadOnlyList<RunResult> baselines)
    {
        ArgumentNullException.ThrowIfNull(run);
        ArgumentNullException.ThrowIfNull(baselines);
        return [.. run.Scenarios.Select(scenario => Of(run, scenario, baselines))];
    }

    private static BaselineRow Of(RunResult run, ScenarioResult scenario, IReadOnlyList<RunResult> baselines)
    {
        var found = baselines.Where(baseline => baseline.CreatedUtc < run.CreatedUtc)
            .Select(baseline => (Run: baseline, Scenario: baseline.Scenarios.LastOrDefault(other =>
                other.Name == scenario.Name && other.Hosting == scenario.Hosting)))
            .LastOrDefault(baseline => baseline.Scenario is not null);
        if (found.Scenario is null)
        {
            return new BaselineRow(scenario, null, null, ComparisonFinding.Missing);
        }

        var sides = new[] { Alone(found.Run, found.Scenario), Alone(run, scenario) };
        var comparison = Comparison.Of([.. sides.Select(side => new ComparisonSource(side.RunId, side))]);
        var cell = comparison.Rows[0].Cells[1];
        return new BaselineRow(scenario, found.Run, found.Scenario, cell.Finding)
        {
            ThroughputRatio = cell.ThroughputRatio,
            LatencyRatio = cell.LatencyRatio,
            Unlike = [.. cell.Column.Differences.Concat(cell.Differences).Where(difference => difference.ForbidsVerdict)],
        };
    }

    private static RunResult Alone(RunResult run, ScenarioResult scenario) => run with { Scenarios = [scenario], Capacity = [] };
}
