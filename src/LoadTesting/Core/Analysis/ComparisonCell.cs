using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis;

/// <summary>A scenario in one column.</summary>
/// <param name="Column">The column.</param>
/// <param name="Scenario">The result; null when the run does not hold the scenario.</param>
public sealed record ComparisonCell(ComparisonColumn Column, ScenarioResult? Scenario)
{
    /// <summary>How often the run holds the scenario; the newest is <see cref="Scenario"/>.</summary>
    public int Repetitions { get; init; }

    /// <summary>How it stands to the first column.</summary>
    public ComparisonFinding Finding { get; init; } = ComparisonFinding.Missing;

    /// <summary>What differs in this row beyond what <see cref="ComparisonColumn.Differences"/> says of all.</summary>
    public IReadOnlyList<ComparisonDifference> Differences { get; init; } = [];

    /// <summary>Throughput over that of the first column; null unless the two are alike.</summary>
    public double? ThroughputRatio { get; init; }

    /// <summary>Median latency over that of the first column, the mean where a median is missing; null unless the two are alike.</summary>
    public double? LatencyRatio { get; init; }
}
