using static LoadTesting.Core.Reporting.Tables.ReportColumn;
using static LoadTesting.Core.Reporting.Tables.ReportRow;
using static LoadTesting.Core.Reporting.Tables.ReportTable;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a history, in reading order; a table that would be empty is left out.</summary>
public static class TrendTables
{
    /// <summary>Changes, what to watch, levels, what was left out.</summary>
    public static IReadOnlyList<ReportTable> Of(RunHistory history) => [.. Changed(history), .. Rest(history)];

    internal static IReadOnlyList<ReportTable> Changed(RunHistory history) =>
        Filled(
            Changes(history, "Changes",
                ReportText.Changes,
                series => series.AgreedChanges),
            Changes(
                history, "To watch",
                ReportText.ToWatch,
                TrendText.Watched));

    internal static IReadOnlyList<ReportTable> Rest(RunHistory history) => Filled(Levels(history), LeftOut(history));

    private static ReportTable Changes(
        RunHistory history, string title, string note, Func<HistorySeries, IEnumerable<HistoryChange>> changes) => new(
        title, note,
        [Text("Metric"), new("Change"), Text("State"), new("Before"), new("After"), Text("Since"), Text("Commits"),
            new("p")],
        [.. ByScenario(history, series => changes(series).SelectMany(change => Row(series, change)))]);

    private static IEnumerable<ReportRow> Row(HistorySeries series, HistoryChange change)
    {
        yield return new(ReportRowKind.Values,
        [
            TrendText.Metric(series), TrendText.Share(change), TrendText.State(change) + (change.IsNew ? ", new" : ""),
            TrendText.Value(series, change.Point.Before), TrendText.Value(series, change.Point.After),
            TrendText.Date(change.First.Utc), TrendText.Commits(change), TrendText.P(change.Point.PValue),
        ]);
        foreach (var circumstance in TrendText.Circumstances(series, change))
        {
            yield return Detail("Changed with it: " + circumstance);
        }
    }

    private static ReportTable Levels(RunHistory history) => new(
        "Levels",
        ReportText.Levels,
        [Text("Metric"), new("Daily runs"), Text("From"), Text("To"), new("Level"), new("Newest"),
            new("Against level")],
        [.. ByScenario(history, series => series.IsCurrent ? Level(series) : [])]);

    private static IEnumerable<ReportRow> Level(HistorySeries series)
    {
        // Applies to every metric of the scenario, and stands above the first.
        if (series is { Reset: not null, Metric.Name: HistoryMetric.Throughput })
        {
            yield return Detail($"New series since {TrendText.Date(series.Points[0].Utc)}: {series.Reset}");
        }

        var (level, newest) = (series.Levels()[^1].Value, series.Points[^1].Value);
        yield return new(ReportRowKind.Values,
        [
            TrendText.Metric(series), Figures.Count(series.Points.Count), TrendText.Date(series.Points[0].Utc),
            TrendText.Date(series.Points[^1].Utc),
            TrendText.Value(series, level),
            TrendText.Value(series, newest) + TrendText.Interval(series, series.Points[^1]),
            level == 0 ? Figures.Absent : TrendText.SignedPercent((newest / level) - 1),
        ]);
        if (series.DailyRunsWithoutReference > 0)
        {
            yield return new(
                ReportRowKind.Detail,
                [$"{Quantity.Of(series.DailyRunsWithoutReference, "daily run")} without a run of the reference "
                    + $"{series.Reference}: left out."]);
        }
    }

    private static ReportTable LeftOut(RunHistory history) =>
        new("Did not pass", ReportText.LeftOut, [Text("Result and reason")],
            [.. history.LeftOut.Select(text => Values(text))]);

    private static IEnumerable<ReportRow> ByScenario(
        RunHistory history, Func<HistorySeries, IEnumerable<ReportRow>> rows) =>
        from scenario in history.Series.GroupBy(series => series.Scenario)
        let found = scenario.SelectMany(rows).ToList()
        where found.Count > 0
        from row in found.Prepend(Group(scenario.Key))
        select row;
}
