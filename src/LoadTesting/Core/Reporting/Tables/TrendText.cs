namespace LoadTesting.Core.Reporting.Tables;

public static class TrendText
{
    // A change that only one method saw is not worth a look after this many daily runs.
    private const int NewestDailyRuns = 10;

    private const int MaxNamed = 3;

    public static string Title(RunHistory history) =>
        $"{Quantity.Of(history.Runs.Count, "run")}, {Date(history.Runs[0].CreatedUtc)} to "
            + $"{Date(history.Runs[^1].CreatedUtc)}";

    /// <summary>What was looked at, what changed, and each new change.</summary>
    public static IReadOnlyList<string> Statements(RunHistory history) =>
        [.. Judged(history).Select(statement => statement.Text)];

    /// <summary>The statements; of what is new, whether it is good or bad news.</summary>
    internal static IReadOnlyList<(string Text, VerdictOutcome? Outcome)> Judged(RunHistory history)
    {
        var changes =
            history.Series.SelectMany(series => series.AgreedChanges.Select(change => (series, change))).ToList();
        var fresh = changes.Where(found => found.change.IsNew).ToList();
        var worse = changes.Count(found => found.change.IsWorse);
        var current = history.Series.Where(series => series.IsCurrent).ToList();
        var scenarios = current.Select(series => series.Scenario).Distinct().Count();
        var most = current.Select(series => series.Points.Count).DefaultIfEmpty().Max();
        return
        [
            ($"{Quantity.Of(current.Count, "series", "series")} of {Quantity.Of(scenarios, "scenario")}, {Quantity.Of(most, "daily run")} at "
                + $"most{(most < ChangePointDetector.MinPoints ? $"; a change needs {ChangePointDetector.MinPoints}" : "")}"
                + (history.LeftOut.Count == 0
                    ? "." : $"; {Quantity.Of(history.LeftOut.Count, "result")} did not pass."),
                null),
            (changes.Count == 0 ? ReportText.NoChange
                : $"{Quantity.Of(changes.Count, "change")} of level: {worse} worse, {changes.Count - worse} better; {fresh.Count} new.", null),
            .. fresh.GroupBy(found => (found.series.Scenario, found.change.IsWorse))
                .OrderByDescending(group => group.Key.IsWorse)
                .Select(group => (New(group.Key.Scenario, [.. group]), Outcome(group.Key.IsWorse))),
            .. history.NewFailures.Select(failure => ($"New: {failure}", Outcome(isWorse: true))),
        ];
    }

    /// <summary>Late points that one method sees.</summary>
    internal static IEnumerable<HistoryChange> Watched(HistorySeries series) => series.Changes.Where(change =>
        series.IsCurrent && !change.Point.IsAgreed && change.Point.Index >= series.Points.Count - NewestDailyRuns);

    internal static string Sentence(HistorySeries series, HistoryChange change) =>
        $"{series.Scenario}, {series.Metric.Name}: {Share(change)} ({State(change)}) since "
            + $"{Date(change.First.Utc)}, {Commits(change)}.";

    internal static string State(HistoryChange change) => change.IsWorse ? "worse" : "better";

    internal static string Share(HistoryChange change) =>
        double.IsNaN(change.Point.Ratio) ? "from 0" : SignedPercent(change.Point.Ratio - 1);

    internal static string SignedPercent(double share) =>
        (share * 100).ToString("+#,0.0;-#,0.0;0.0", CultureInfo.InvariantCulture) + " %";

    internal static string Commits(HistoryChange change) =>
        $"{RunHistory.Commit(change.Last.Run)} to {RunHistory.Commit(change.First.Run)}";

    internal static string Metric(HistorySeries series) =>
        series.Metric.Name
            + (series.Reference is not null ? " over reference" : series.Metric.Unit is { } unit ? ", " + unit : "");

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

    internal static string Date(DateTimeOffset instant) =>
        instant.UtcDateTime.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    /// <summary>What else differs between the runs on both sides of a change: backend, settings, runtime.</summary>
    internal static IReadOnlyList<string> Circumstances(HistorySeries series, HistoryChange change) =>
        [.. Comparability.OfColumns(Column(series, change.Last), Column(series, change.First))
            .Where(difference => difference.What != "commit")
            .Select(difference => $"{difference.What} {difference.First} to {difference.Other}")];

    private static VerdictOutcome? Outcome(bool isWorse) => isWorse ? VerdictOutcome.Failed : VerdictOutcome.Passed;

    private static string New(string scenario, IReadOnlyList<(HistorySeries Series, HistoryChange Change)> changes)
    {
        var first = changes[0].Change;
        var reported = changes.Take(MaxNamed).Select(found => $"{found.Series.Metric.Name} {Share(found.Change)}");
        var rest = changes.Count - MaxNamed;
        var andMore = rest > 0 ? $" and {rest} more" : "";
        return $"New: {scenario} is {State(first)} since {Date(first.First.Utc)}, {Commits(first)}: "
            + $"{string.Join(", ", reported)}{andMore}.";
    }

    private static ComparisonColumn Column(HistorySeries series, HistoryPoint point) => new(
        "", series.Profile, new ComparisonSource(point.Run.RunId, point.Run));
}
