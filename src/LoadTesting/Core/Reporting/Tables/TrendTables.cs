using LoadTesting.Core.Analysis.Trends;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a history, in reading order; a table that would be empty is left out.</summary>
public static class TrendTables
{
    /// <summary>Changes, what to watch, levels, what was left out.</summary>
    public static IReadOnlyList<ComparisonTable> Of(RunHistory history) => [.. Changed(history), .. Rest(history)];

    /// <summary>Changes and what to watch.</summary>
    internal static IReadOnlyList<ComparisonTable> Changed(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        return Filled(
            Changes(history, "Changes", "Levels before and after are medians; p is that of a t-test. New: seen with the newest night only.", TrendWords.Agreed),
            Changes(
                history, "To watch", "Seen by one of the two methods within the last ten nights: no alarm, a reason to look at the next night.",
                TrendWords.Watched));
    }

    /// <summary>Levels and what was left out.</summary>
    internal static IReadOnlyList<ComparisonTable> Rest(RunHistory history) => Filled(Levels(history), LeftOut(history));

    private static List<ComparisonTable> Filled(params ComparisonTable[] tables) => [.. tables.Where(table => table.Rows.Count > 0)];

    private static ComparisonTable Changes(
        RunHistory history, string title, string note, Func<HistorySeries, IEnumerable<HistoryChange>> changes) => new(
        title, note,
        [Words("Metric"), new("Change"), Words("State"), new("Before"), new("After"), Words("Since"), Words("Commits"), new("p")],
        [.. ByScenario(history, series => changes(series).SelectMany(change => Row(series, change)))]);

    private static IEnumerable<ComparisonTableRow> Row(HistorySeries series, HistoryChange change)
    {
        yield return new(ComparisonRowKind.Values,
        [
            TrendWords.Metric(series), TrendWords.Share(change), TrendWords.State(change) + (change.IsNew ? ", new" : ""),
            TrendWords.Value(series, change.Point.Before), TrendWords.Value(series, change.Point.After),
            TrendWords.Date(change.First.Utc), TrendWords.Commits(change), TrendWords.P(change.Point.PValue),
        ]);
        foreach (var circumstance in TrendWords.Circumstances(series, change))
        {
            yield return new(ComparisonRowKind.Detail, ["Changed with it: " + circumstance]);
        }
    }

    private static ComparisonTable Levels(RunHistory history) => new(
        "Levels", "Level is the median since the last change; newest is the last night.",
        [Words("Metric"), new("Nights"), Words("From"), Words("To"), new("Level"), new("Newest"), new("Against level")],
        [.. ByScenario(history, series => series.IsCurrent ? Level(series) : [])]);

    private static IEnumerable<ComparisonTableRow> Level(HistorySeries series)
    {
        // Holds for every metric of the scenario, and is said above the first.
        if (series is { Reset: not null, Metric.Name: HistoryMetric.Throughput })
        {
            yield return new(ComparisonRowKind.Detail, [$"Began anew {TrendWords.Date(series.Points[0].Utc)}: {series.Reset}"]);
        }

        var (level, newest) = (TrendLevels.Of(series)[^1].Value, series.Points[^1].Value);
        yield return new(ComparisonRowKind.Values,
        [
            TrendWords.Metric(series), Figures.Count(series.Points.Count), TrendWords.Date(series.Points[0].Utc), TrendWords.Date(series.Points[^1].Utc),
            TrendWords.Value(series, level), TrendWords.Value(series, newest), level == 0 ? Figures.Absent : TrendWords.SignedPercent((newest / level) - 1),
        ]);
        if (series.NightsWithoutReference > 0)
        {
            yield return new(
                ComparisonRowKind.Detail,
                [$"{series.NightsWithoutReference} nights have no run of the reference {series.Reference} and are left out."]);
        }
    }

    private static ComparisonTable LeftOut(RunHistory history) =>
        new("Left out", null, [Words("Result and reason")], [.. history.LeftOut.Select(text => new ComparisonTableRow(ComparisonRowKind.Values, [text]))]);

    private static IEnumerable<ComparisonTableRow> ByScenario(RunHistory history, Func<HistorySeries, IEnumerable<ComparisonTableRow>> rows) =>
        from scenario in history.Series.GroupBy(series => series.Scenario)
        let found = scenario.SelectMany(rows).ToList()
        where found.Count > 0
        from row in found.Prepend(new ComparisonTableRow(ComparisonRowKind.Group, [scenario.Key]))
        select row;

    private static ComparisonTableColumn Words(string name) => new(name, IsNumeric: false);
}
