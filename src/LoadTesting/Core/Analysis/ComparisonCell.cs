namespace LoadTesting.Core.Analysis;

/// <param name="Scenario">The result; null when the run does not hold the scenario.</param>
public sealed record ComparisonCell(ComparisonColumn Column, ScenarioResult? Scenario)
{
    /// <summary>How often the run holds the scenario; the newest is <see cref="Scenario"/>.</summary>
    public int Repetitions { get; init; }

    /// <summary>The result of comparing it with the first column.</summary>
    public ComparisonFinding Finding { get; init; } = ComparisonFinding.Missing;

    /// <summary>
    /// Differences of this row, without those of all rows in <see cref="ComparisonColumn.Differences"/>.
    /// </summary>
    public IReadOnlyList<ComparisonDifference> Differences { get; init; } = [];

    /// <summary>Differences of this row and of all rows that forbid a verdict; empty if there are none.</summary>
    public IEnumerable<ComparisonDifference> Unlike =>
        Column.Differences.Concat(Differences).Where(difference => difference.ForbidsVerdict);

    /// <summary>Throughput beside that of the first column; null unless the two are alike.</summary>
    public ComparisonRatio? Throughput { get; init; }

    /// <summary>
    /// Median latency beside that of the first column, the mean where a median is missing; null unless the two are
    /// alike.
    /// </summary>
    public ComparisonRatio? Median { get; init; }

    /// <summary>
    /// 95th percentile beside that of the first column; null unless the two are alike and both have one.
    /// </summary>
    public ComparisonRatio? P95 { get; init; }
}
