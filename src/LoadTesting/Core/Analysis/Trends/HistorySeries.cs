namespace LoadTesting.Core.Analysis.Trends;

/// <summary>
/// A metric of a scenario, from one daily run to the next, as long as machine, content and load stay the same.
/// </summary>
public sealed record HistorySeries
{
    /// <summary>Full name of the scenario, or of the search for a capacity.</summary>
    public required string Scenario { get; init; }

    /// <summary>Backend combination.</summary>
    public required string Profile { get; init; }

    public required HostingKind Hosting { get; init; }
    public required HistoryMetric Metric { get; init; }

    /// <summary>
    /// 1 for the first series of this scenario and metric, 2 for the one after machine, content or load had changed,
    /// and so on.
    /// </summary>
    public required int Era { get; init; }

    /// <summary>
    /// Whether the scenario's newest daily run is of this era. Eras may take turns, where a pool has machines of two
    /// kinds.
    /// </summary>
    public required bool IsCurrent { get; init; }

    /// <summary>What differs from the era before; null for the first.</summary>
    public string? Reset { get; init; }

    /// <summary>
    /// Commit of the reference build that each value is divided by; null if the values are as measured.
    /// </summary>
    public string? Reference { get; init; }

    /// <summary>Daily runs without that build, which are left out.</summary>
    public int DailyRunsWithoutReference { get; init; }

    /// <summary>The daily runs, the oldest first; at least one.</summary>
    public required IReadOnlyList<HistoryPoint> Points { get; init; }

    /// <summary>
    /// Daily runs whose results did not pass, or were not valid, with their values: shown, but not part of any level.
    /// </summary>
    public IReadOnlyList<HistoryPoint> Unsound { get; init; } = [];

    /// <summary>Where the level changes, the oldest first.</summary>
    public IReadOnlyList<HistoryChange> Changes { get; init; } = [];

    /// <summary>Changes that both methods see.</summary>
    internal IEnumerable<HistoryChange> AgreedChanges => Changes.Where(change => change.Point.IsAgreed);

    /// <summary>
    /// First daily run, the one after the last, and median of each level between agreed changes; at least one.
    /// </summary>
    internal IReadOnlyList<(int Start, int End, double Value)> Levels()
    {
        var starts = AgreedChanges.Select(change => change.Point.Index).Prepend(0).ToList();
        return [.. starts.Zip(starts.Skip(1).Append(Points.Count), (start, end) =>
            (start, end, Points.Skip(start).Take(end - start).Select(point => point.Value).Median()))];
    }

    /// <summary>The same series with its changes.</summary>
    /// <param name="newest">The newest daily run of the whole history: what it does not show is not new.</param>
    internal HistorySeries Examined(int newest)
    {
        double[] values = [.. Points.Select(point => point.Value)];
        var fresh = Points.Count(point => point.DailyRun == newest);
        var before = ChangePointDetector.Find(values[..^fresh]);
        return this with
        {
            Changes = [.. ChangePointDetector.Find(values).Select(point => new HistoryChange(
                point, Points[point.Index - 1], Points[point.Index],
                IsWorse: point.After < point.Before == Metric.HigherIsBetter,
                IsNew: fresh > 0 && point.IsAgreed
                    && !before.Any(
                        known => known.IsAgreed
                            && Math.Abs(known.Index - point.Index) <= ChangePointDetector.Agreement)))],
        };
    }
}
