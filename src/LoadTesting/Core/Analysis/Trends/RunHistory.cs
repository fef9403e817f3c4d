namespace LoadTesting.Core.Analysis.Trends;

/// <summary>
/// Daily runs as series, one value per daily run: the median of the repetitions of a commit. What did not pass, or was
/// not valid, is kept beside the series and does not count towards its levels. A series ends, and another begins, where
/// <see cref="Comparability"/> forbids a verdict.
/// </summary>
public sealed record RunHistory
{
    /// <summary>A run that begins within this time of the first one belongs to the same daily run.</summary>
    public static readonly TimeSpan DailyRunSpan = TimeSpan.FromHours(12);

    private RunHistory(
        IReadOnlyList<RunResult> runs, IReadOnlyList<HistorySeries> series, IReadOnlyList<HistoryEntry> unsound)
    {
        Runs = runs;
        Series = series;
        LeftOut = [.. unsound.Select(entry => entry.ToString())];
    }

    /// <summary>The runs, the oldest first.</summary>
    public IReadOnlyList<RunResult> Runs { get; }

    public IReadOnlyList<HistorySeries> Series { get; }

    /// <summary>Results that do not count towards a level, each with its run and the reason.</summary>
    public IReadOnlyList<string> LeftOut { get; }

    /// <summary>
    /// Scenarios of which a result of the newest daily run failed, while none of the daily run before did, or there is
    /// none before; and those of which the daily run before has a result and the newest has none. A sentence each,
    /// reported once.
    /// </summary>
    public IReadOnlyList<string> NewFailures { get; private init; } = [];

    /// <param name="runs">The runs, in any order.</param>
    /// <param name="reference">Beginning of the commit of a build that was measured along with the others; null without
    /// one.</param>
    /// <param name="patterns">Scenarios to take, by full name, <c>*</c> and <c>?</c> standing for characters and a
    /// leading <c>!</c> taking away; every one when empty.</param>
    /// <exception cref="FormatException">No result is left, or the reference names no build or several.</exception>
    public static RunHistory Of(
        IReadOnlyList<RunResult> runs, string? reference = null, IReadOnlyList<string>? patterns = null)
    {
        var ordered = runs.OrderBy(run => run.CreatedUtc).ToList();
        var results = HistoryEntry.Of(ordered, DailyRunSpan, patterns ?? []);
        if (reference is not null)
        {
            RequireOneOf([.. ordered.Select(run => run.Commit).Distinct()], reference);
        }

        if (results.Count == 0)
        {
            throw new FormatException($"None of the {runs.Count} runs holds a result of the scenarios asked for.");
        }

        var newest = results.Max(entry => entry.DailyRun);
        var scenarios = results.GroupBy(entry => (entry.Scenario.Name, entry.Scenario.Hosting))
            .OrderBy(group => group.Key.Name, StringComparer.Ordinal).ThenBy(group => group.Key.Hosting)
            .Select(group => group.ToList()).ToList();
        return new RunHistory(
            ordered, [.. scenarios.SelectMany(entries => OfScenario(entries, reference, newest))],
            [.. results.Where(entry => entry.Flaw is not null)])
        {
            NewFailures = [.. scenarios.Select(entries => NewFailure(entries, reference, newest)).OfType<string>()],
        };
    }

    /// <summary>Failures of the reference build do not count.</summary>
    private static string? NewFailure(IReadOnlyList<HistoryEntry> entries, string? reference, int newest)
    {
        var dailyRuns =
            entries.Where(entry => reference is null || !entry.IsOf(reference)).GroupBy(entry => entry.DailyRun)
            .Select(daily => daily.ToList()).ToList();
        if (dailyRuns.Count > 0 && dailyRuns[^1][0].DailyRun == newest - 1)
        {
            return $"{dailyRuns[^1][^1].Scenario.Name}: the newest daily run has no result "
                + "of it, and the one before had";
        }

        var failures = dailyRuns.Select(daily => daily.Find(entry => entry.HasFailed)).ToList();
        var isNew =
            failures.Count > 0 && dailyRuns[^1][0].DailyRun == newest && (failures.Count == 1 || failures[^2] is null);
        return isNew ? failures[^1]?.ToString() : null;
    }

    /// <summary>The commit of a run as reports show it.</summary>
    internal static string Commit(RunResult run) => Short(run.Commit);

    private static string Short(string? commit) => commit is null ? "no commit" : commit[..Math.Min(7, commit.Length)];

    private static void RequireOneOf(IReadOnlyList<string?> commits, string reference)
    {
        var meant = commits.Where(commit => HistoryEntry.Begins(commit, reference)).ToList();
        var wrong = meant.Count switch
        {
            0 => $"No run is of the reference build {reference}. The runs are of "
                + $"{string.Join(", ", commits.Select(Short))}.",
            > 1 => $"The reference build {reference} may be any of "
                + $"{string.Join(", ", meant)}. Name more of its digits.",
            _ when commits.Count
                == 1 => $"Every run is of the reference build {reference}: there is nothing to compare.",
            _ => null,
        };
        if (wrong is not null)
        {
            throw new FormatException(wrong);
        }
    }

    private static IEnumerable<HistorySeries> OfScenario(
        IReadOnlyList<HistoryEntry> entries, string? reference, int newest)
    {
        var current = entries[^1].DailyRun;
        var eras = Eras(entries);
        return eras.SelectMany((era, index) => OfEra(era, reference).Select(series => series with
            {
                Era = index + 1,
                IsCurrent = era[^1].DailyRun == current,
                Reset = index == 0 ? null : Difference(eras[index - 1][^1], era[0]),
            }))
            .GroupBy(series => series.Metric).SelectMany(group => group).Select(series => series.Examined(newest));
    }

    /// <summary>
    /// Entries that compare with the first one of their era, whether or not others stand between them.
    /// </summary>
    private static List<List<HistoryEntry>> Eras(IReadOnlyList<HistoryEntry> entries)
    {
        var eras = new List<List<HistoryEntry>>();
        foreach (var entry in entries)
        {
            if (eras.Find(era => !Unlike(era[0], entry).Any()) is { } known)
            {
                known.Add(entry);
            }
            else
            {
                eras.Add([entry]);
            }
        }

        return eras;
    }

    private static IEnumerable<HistorySeries> OfEra(IReadOnlyList<HistoryEntry> entries, string? reference)
    {
        var values = entries.SelectMany(
            entry => entry.Values.Select(found => (found.Metric, Value: (Entry: entry, found.Value))));
        foreach (var metric in values.GroupBy(value => value.Metric, value => value.Value))
        {
            var dailyRuns = DailyRun.Of(metric.Where(value => value.Entry.Flaw is null), reference);
            var held = dailyRuns.Where(daily => daily.Reference is > 0).ToList();
            var isHeld = held.Count > 0;
            List<HistoryPoint> points = isHeld
                ? [.. held.SelectMany(daily => daily.Ratios())]
                : [.. dailyRuns.SelectMany(daily => daily.Commits)];
            if (points.Count > 0)
            {
                yield return new HistorySeries
                {
                    Scenario = entries[0].Scenario.Name,
                    Profile = entries[0].Scenario.Profile,
                    Hosting = entries[0].Scenario.Hosting,
                    Metric = metric.Key,
                    Era = 1,
                    IsCurrent = true,
                    Points = points,
                    Unsound = isHeld ? [] : Unsound(metric, reference),
                    Reference = isHeld ? reference : null,
                    DailyRunsWithoutReference = isHeld ? dailyRuns.Count - held.Count : 0,
                };
            }
        }
    }

    private static List<HistoryPoint> Unsound(
        IEnumerable<(HistoryEntry Entry, double Value)> values, string? reference) =>
    [
        .. DailyRun.Of(values.Where(value => value.Entry.Flaw is not null), reference)
            .SelectMany(daily => daily.Commits),
    ];

    private static string Difference(HistoryEntry before, HistoryEntry after) =>
        string.Join("; ",
            Unlike(before, after).Select(difference => $"{difference.What} {difference.First} to {difference.Other}"));

    /// <summary>
    /// What keeps two values out of one series. Neither a flaw of a result, which is kept beside the series, nor what
    /// no run recorded.
    /// </summary>
    private static IEnumerable<ComparisonDifference> Unlike(HistoryEntry before, HistoryEntry after) =>
        Comparability.OfColumns(before.Column, after.Column)
            .Concat(Comparability.OfScenarios(before.Scenario, after.Scenario))
            .Where(difference =>
                difference.ForbidsVerdict && difference.What != "outcome" && difference.First != difference.Other);
}
