using static LoadTesting.Core.Reporting.Tables.ComparisonTableColumn;
using static LoadTesting.Core.Reporting.Tables.ComparisonTableRow;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a history, in reading order; a table that would be empty is left out.</summary>
public static class TrendTables
{
    /// <summary>Changes, what to watch, levels, what was left out.</summary>
    public static IReadOnlyList<ComparisonTable> Of(RunHistory history) => [.. Changed(history), .. Rest(history)];

    internal static IReadOnlyList<ComparisonTable> Changed(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        return Filled(
            Changes(history, "Changes",
                "Levels before and after are medians; p is that of a t-test. New: seen with the newest daily run only.", TrendWords.Agreed),
            Changes(
                history, "To watch",
                "Seen by one of the two methods within the last ten daily runs: no alarm, a reason to look at the next daily run.",
                TrendWords.Watched));
    }

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
            yield return Detail("Changed with it: " + circumstance);
        }
    }

    private static ComparisonTable Levels(RunHistory history) => new(
        "Levels", "Level is the median since the last change; newest is the last daily run that passed, a capacity with its bracket.",
        [Words("Metric"), new("Daily runs"), Words("From"), Words("To"), new("Level"), new("Newest"), new("Against level")],
        [.. ByScenario(history, series => series.IsCurrent ? Level(series) : [])]);

    private static IEnumerable<ComparisonTableRow> Level(HistorySeries series)
    {
        // Holds for every metric of the scenario, and is said above the first.
        if (series is { Reset: not null, Metric.Name: HistoryMetric.Throughput })
        {
            yield return Detail($"Began anew {TrendWords.Date(series.Points[0].Utc)}: {series.Reset}");
        }

        var (level, newest) = (TrendLevels.Of(series)[^1].Value, series.Points[^1].Value);
        yield return new(ComparisonRowKind.Values,
        [
            TrendWords.Metric(series), Figures.Count(series.Points.Count), TrendWords.Date(series.Points[0].Utc),
            TrendWords.Date(series.Points[^1].Utc),
            TrendWords.Value(series, level), TrendWords.Value(series, newest) + TrendWords.Interval(series, series.Points[^1]),
            level == 0 ? Figures.Absent : TrendWords.SignedPercent((newest / level) - 1),
        ]);
        if (series.DailyRunsWithoutReference > 0)
        {
            yield return new(
                ComparisonRowKind.Detail,
                [$"{series.DailyRunsWithoutReference} daily runs have no run of the reference {series.Reference} and are left out."]);
        }
    }

    private static ComparisonTable LeftOut(RunHistory history) =>
        new("Did not pass", "Shown in the charts, and no part of any level.", [Words("Result and reason")],
            [.. history.LeftOut.Select(text => Values(text))]);

    private static IEnumerable<ComparisonTableRow> ByScenario(
        RunHistory history, Func<HistorySeries, IEnumerable<ComparisonTableRow>> rows) =>
        from scenario in history.Series.GroupBy(series => series.Scenario)
        let found = scenario.SelectMany(rows).ToList()
        where found.Count > 0
        from row in found.Prepend(Group(scenario.Key))
        select row;
}

public static class TrendWords
{
    // What was seen by one method long ago and by both never since is no longer worth a look.
    private const int NewestDailyRuns = 10;

    private const int MostNamed = 3;

    public static string Title(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        return $"{Count(history.Runs.Count, "run")}, {Date(history.Runs[0].CreatedUtc)} to {Date(history.Runs[^1].CreatedUtc)}";
    }

    /// <summary>What was looked at, what changed, and each new change.</summary>
    public static IReadOnlyList<string> Statements(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        return [.. Judged(history).Select(statement => statement.Text)];
    }

    /// <summary>The statements; of what is new, whether it is good or bad news.</summary>
    internal static IReadOnlyList<(string Text, VerdictOutcome? Outcome)> Judged(RunHistory history)
    {
        var changes = history.Series.SelectMany(series => Agreed(series).Select(change => (series, change))).ToList();
        var fresh = changes.Where(found => found.change.IsNew).ToList();
        var worse = changes.Count(found => found.change.IsWorse);
        var current = history.Series.Where(series => series.IsCurrent).ToList();
        var scenarios = current.Select(series => series.Scenario).Distinct().Count();
        var most = current.Select(series => series.Points.Count).DefaultIfEmpty().Max();
        return
        [
            ($"{Count(current.Count, "series", "series")} of {Count(scenarios, "scenario")}, {Count(most, "daily run")} at "
                + $"most{(most < ChangePointDetector.Fewest ? $"; a change needs {ChangePointDetector.Fewest}" : "")}"
                + (history.LeftOut.Count == 0 ? "." : $"; {Count(history.LeftOut.Count, "result")} did not pass."), null),
            (changes.Count == 0 ? "No level has changed."
                : $"{Count(changes.Count, "change")} of level: {worse} worse, {changes.Count - worse} better; {fresh.Count} new.", null),
            .. fresh.GroupBy(found => (found.series.Scenario, found.change.IsWorse)).OrderByDescending(group => group.Key.IsWorse)
                .Select(group => (New(group.Key.Scenario, [.. group]), Outcome(group.Key.IsWorse))),
            .. history.NewFailures.Select(failure => ($"New: {failure}", Outcome(isWorse: true))),
        ];
    }

    /// <summary>Changes that both methods see.</summary>
    internal static IEnumerable<HistoryChange> Agreed(HistorySeries series) => series.Changes.Where(change => change.Point.IsAgreed);

    /// <summary>Late points that one method sees.</summary>
    internal static IEnumerable<HistoryChange> Watched(HistorySeries series) => series.Changes.Where(change =>
        series.IsCurrent && !change.Point.IsAgreed && change.Point.Index >= series.Points.Count - NewestDailyRuns);

    internal static string Sentence(HistorySeries series, HistoryChange change) =>
        $"{series.Scenario}, {series.Metric.Name}: {Share(change)} ({State(change)}) since {Date(change.First.Utc)}, {Commits(change)}.";

    internal static string State(HistoryChange change) => change.IsWorse ? "worse" : "better";

    internal static string Share(HistoryChange change) =>
        double.IsNaN(change.Point.Ratio) ? "from 0" : SignedPercent(change.Point.Ratio - 1);

    internal static string SignedPercent(double share) => (share * 100).ToString("+#,0.0;-#,0.0;0.0", CultureInfo.InvariantCulture) + " %";

    internal static string Commits(HistoryChange change) =>
        $"{RunHistory.Commit(change.Last.Run)} to {RunHistory.Commit(change.First.Run)}";

    internal static string Metric(HistorySeries series) =>
        series.Metric.Name + (series.Reference is not null ? " over reference" : series.Metric.Unit is { } unit ? ", " + unit : "");

    internal static string Value(HistorySeries series, double value) =>
        series.Reference is not null ? value.ToString("0.000", CultureInfo.InvariantCulture) : series.Metric.Unit switch
        {
            "/s" => Figures.Rate(value),
            "ms" => Figures.Ms(value),
            _ => Figures.Counter(value),
        };

    /// <summary>The bracket of a capacity, behind its value; empty of anything else.</summary>
    internal static string Interval(HistorySeries series, HistoryPoint point) => point.Interval is { } interval
        ? $" ({Value(series, interval.Low)} .. {Value(series, interval.High)})"
        : "";

    internal static string P(double? p) => p switch
    {
        null => Figures.Absent,
        < 1e-12 => "< 1e-12",
        _ => p.Value.ToString("0e-0", CultureInfo.InvariantCulture),
    };

    internal static string Date(DateTimeOffset instant) => instant.UtcDateTime.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    /// <summary>What else differs between the runs on both sides of a change: backend, settings, runtime.</summary>
    internal static IReadOnlyList<string> Circumstances(HistorySeries series, HistoryChange change) =>
        [.. ComparisonRules.OfColumns(Column(series, change.Last), Column(series, change.First))
            .Where(difference => difference.What != "commit")
            .Select(difference => $"{difference.What} {difference.First} to {difference.Other}")];

    private static VerdictOutcome? Outcome(bool isWorse) => isWorse ? VerdictOutcome.Failed : VerdictOutcome.Passed;

    private static string New(string scenario, IReadOnlyList<(HistorySeries Series, HistoryChange Change)> changes)
    {
        var first = changes[0].Change;
        var reported = changes.Take(MostNamed).Select(found => $"{found.Series.Metric.Name} {Share(found.Change)}");
        var rest = changes.Count - MostNamed;
        var andMore = rest > 0 ? $" and {rest} more" : "";
        return $"New: {scenario} is {State(first)} since {Date(first.First.Utc)}, {Commits(first)}: "
            + $"{string.Join(", ", reported)}{andMore}.";
    }

    private static ComparisonColumn Column(HistorySeries series, HistoryPoint point) => new(
        "", series.Profile, new ComparisonSource(point.Run.RunId, point.Run));

    private static string Count(int count, string one, string? many = null) =>
        string.Create(CultureInfo.InvariantCulture, $"{count:#,0} {(count == 1 ? one : many ?? one + "s")}");
}

/// <summary>The levels of a series between its changes.</summary>
internal static class TrendLevels
{
    /// <summary>First daily run, the one after the last, and median of each level; at least one.</summary>
    public static IReadOnlyList<(int Start, int End, double Value)> Of(HistorySeries series)
    {
        var starts = TrendWords.Agreed(series).Select(change => change.Point.Index).Prepend(0).ToList();
        return [.. starts.Zip(starts.Skip(1).Append(series.Points.Count), (start, end) => (start, end, Median(series, start, end)))];
    }

    private static double Median(HistorySeries series, int start, int end) =>
        series.Points.Skip(start).Take(end - start).Select(point => point.Value).Median();
}
