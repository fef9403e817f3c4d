using System.Globalization;
using LoadTesting.Core.Analysis.Statistics;
using LoadTesting.Core.Analysis.Trends;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a history says in words.</summary>
public static class TrendWords
{
    // What was seen by one method long ago and by both never since is no longer worth a look.
    private const int NewestNights = 10;

    private const int MostTold = 3;

    /// <summary>What the history is of.</summary>
    public static string Title(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        return $"{Count(history.Runs.Count, "run")}, {Date(history.Runs[0].CreatedUtc)} to {Date(history.Runs[^1].CreatedUtc)}";
    }

    /// <summary>What was looked at, what changed, and each new change.</summary>
    public static IReadOnlyList<string> Statements(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        var changes = history.Series.SelectMany(series => Agreed(series).Select(change => (series, change))).ToList();
        var fresh = changes.Where(found => found.change.IsNew).ToList();
        var worse = changes.Count(found => found.change.IsWorse);
        var current = history.Series.Where(series => series.IsCurrent).ToList();
        var scenarios = current.Select(series => series.Scenario).Distinct().Count();
        var most = current.Max(series => series.Points.Count);
        return
        [
            $"{Count(current.Count, "series", "series")} of {Count(scenarios, "scenario")}, " +
            $"{Count(most, "night")} at most{(most < ChangePointDetector.Fewest ? $"; a change needs {ChangePointDetector.Fewest}" : "")}" +
            (history.LeftOut.Count == 0 ? "." : $"; {Count(history.LeftOut.Count, "result")} left out."),
            changes.Count == 0 ? "No level has changed."
                : $"{Count(changes.Count, "change")} of level: {worse} worse, {changes.Count - worse} better; {fresh.Count} new.",
            .. fresh.GroupBy(found => (found.series.Scenario, found.change.IsWorse)).OrderByDescending(group => group.Key.IsWorse)
                .Select(group => New(group.Key.Scenario, [.. group])),
        ];
    }

    /// <summary>Changes that both methods see.</summary>
    internal static IEnumerable<HistoryChange> Agreed(HistorySeries series) => series.Changes.Where(change => change.Point.IsAgreed);

    /// <summary>Late points that one method sees.</summary>
    internal static IEnumerable<HistoryChange> Watched(HistorySeries series) => series.Changes.Where(change =>
        series.IsCurrent && !change.Point.IsAgreed && change.Point.Index >= series.Points.Count - NewestNights);

    internal static string Sentence(HistorySeries series, HistoryChange change) =>
        $"{series.Scenario}, {series.Metric.Name}: {Share(change)} ({State(change)}) since {Date(change.First.Utc)}, {Commits(change)}.";

    internal static string State(HistoryChange change) => change.IsWorse ? "worse" : "better";

    internal static string Share(HistoryChange change) => double.IsNaN(change.Point.Ratio) ? "from 0" : SignedPercent(change.Point.Ratio - 1);

    internal static string SignedPercent(double share) => (share * 100).ToString("+#,0.0;-#,0.0;0.0", CultureInfo.InvariantCulture) + " %";

    internal static string Commits(HistoryChange change) => $"{RunHistory.Commit(change.Last.Run)} to {RunHistory.Commit(change.First.Run)}";

    internal static string Metric(HistorySeries series) =>
        series.Metric.Name + (series.Reference is not null ? " over reference" : series.Metric.Unit is { } unit ? ", " + unit : "");

    internal static string Value(HistorySeries series, double value) =>
        series.Reference is not null ? value.ToString("0.000", CultureInfo.InvariantCulture) : series.Metric.Unit switch
        {
            "/s" => Figures.Rate(value),
            "ms" => Figures.Ms(value),
            _ => Figures.Counter(value),
        };

    internal static string P(double? p) => p switch
    {
        null => Figures.Absent,
        < 1e-12 => "< 1e-12",
        _ => p.Value.ToString("0e-0", CultureInfo.InvariantCulture),
    };

    internal static string Date(DateTimeOffset instant) => instant.UtcDateTime.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    /// <summary>What else differs between the runs on both sides of a change: backend, settings, runtime.</summary>
    internal static IReadOnlyList<string> Circumstances(HistorySeries series, HistoryChange change) =>
        [.. ComparisonRules.OfColumns(Column(series, change.Last), Column(series, change.First)).Where(difference => difference.What != "commit")
            .Select(difference => $"{difference.What} {difference.First} to {difference.Other}")];

    private static string New(string scenario, IReadOnlyList<(HistorySeries Series, HistoryChange Change)> changes)
    {
        var first = changes[0].Change;
        var told = changes.Take(MostTold).Select(found => $"{found.Series.Metric.Name} {Share(found.Change)}");
        var rest = changes.Count - MostTold;
        var andMore = rest > 0 ? $" and {rest} more" : "";
        return $"New: {scenario} is {State(first)} since {Date(first.First.Utc)}, {Commits(first)}: {string.Join(", ", told)}{andMore}.";
    }

    private static ComparisonColumn Column(HistorySeries series, HistoryPoint point) => new(
        "", point.Run.Scenarios.First(scenario => scenario.Name == series.Scenario).Profile, new ComparisonSource(point.Run.RunId, point.Run));

    private static string Count(int count, string one, string? many = null) =>
        string.Create(CultureInfo.InvariantCulture, $"{count:#,0} {(count == 1 ? one : many ?? one + "s")}");
}
