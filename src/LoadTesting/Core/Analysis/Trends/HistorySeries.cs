using LoadTesting.Core.Analysis.Statistics;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Trends;

/// <summary>A metric of a scenario, from night to night, as long as machine, content and load stay the same.</summary>
public sealed record HistorySeries
{
    /// <summary>Full name of the scenario.</summary>
    public required string Scenario { get; init; }

    /// <summary>In process or over HTTP.</summary>
    public required HostingKind Hosting { get; init; }

    /// <summary>What is followed.</summary>
    public required HistoryMetric Metric { get; init; }

    /// <summary>1 for the first series of this scenario and metric, 2 for the one after machine, content or load had changed, and so on.</summary>
    public required int Era { get; init; }

    /// <summary>Whether the scenario has no later era: what is measured now.</summary>
    public required bool IsCurrent { get; init; }

    /// <summary>What differs from the era before, in words; null for the first.</summary>
    public string? Reset { get; init; }

    /// <summary>Commit of the build that each night is held against; null when the values are as measured.</summary>
    public string? Reference { get; init; }

    /// <summary>Nights without that build, which are left out.</summary>
    public int NightsWithoutReference { get; init; }

    /// <summary>The nights, the oldest first; at least one.</summary>
    public required IReadOnlyList<HistoryPoint> Points { get; init; }

    /// <summary>Where the level changes, the oldest first.</summary>
    public IReadOnlyList<HistoryChange> Changes { get; init; } = [];

    /// <summary>The same series with its changes.</summary>
    internal HistorySeries Examined()
    {
        double[] values = [.. Points.Select(point => point.Value)];
        var before = ChangePointDetector.Find(values[..^1]);
        var agreement = new ChangePointOptions().Agreement;
        return this with
        {
            Changes = [.. ChangePointDetector.Find(values).Select(point => new HistoryChange(
                point, Points[point.Index - 1], Points[point.Index],
                IsWorse: point.After < point.Before == Metric.HigherIsBetter,
                IsNew: point.IsAgreed && !before.Any(known => known.IsAgreed && Math.Abs(known.Index - point.Index) <= agreement)))],
        };
    }
}
