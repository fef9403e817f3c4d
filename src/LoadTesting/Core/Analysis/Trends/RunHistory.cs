using LoadTesting.Core.Results;
using MathNet.Numerics.Statistics;

namespace LoadTesting.Core.Analysis.Trends;

/// <summary>
/// Daily runs as series, one value per daily run: the median of the repetitions of a commit. What did not pass, or was not valid, has no
/// value. A series ends, and another begins, when machine, durability, content or load change.
/// </summary>
public sealed record RunHistory
{
    /// <summary>A run that begins within this time of the first one belongs to the same daily run.</summary>
    public static readonly TimeSpan DailyRunSpan = TimeSpan.FromHours(12);

    private RunHistory(IReadOnlyList<RunResult> runs, IReadOnlyList<HistorySeries> series, IReadOnlyList<string> leftOut)
    {
        Runs = runs;
        Series = series;
        LeftOut = leftOut;
    }

    /// <summary>The runs, the oldest first.</summary>
    public IReadOnlyList<RunResult> Runs { get; }

    public IReadOnlyList<HistorySeries> Series { get; }

    /// <summary>Results that give no value, each with its run and the reason.</summary>
    public IReadOnlyList<string> LeftOut { get; }

    /// <param name="runs">The runs, in any order.</param>
    /// <param name="reference">Beginning of the commit of a build that was measured along with the others; null without one.</param>
    /// <param name="patterns">Scenarios to take, by full name, <c>*</c> and <c>?</c> standing for characters and a leading <c>!</c> taking
    /// away; every one when empty.</param>
    /// <exception cref="FormatException">No sound result is left, or the reference names no build or several.</exception>
    public static RunHistory Of(IReadOnlyList<RunResult> runs, string? reference = null, IReadOnlyList<string>? patterns = null)
    {
        ArgumentNullException.ThrowIfNull(runs);
        var ordered = runs.Select(run => RunSelection.Of(run, patterns ?? [])).OrderBy(run => run.CreatedUtc).ToList();
        var results = HistoryEntry.Of(ordered, DailyRunSpan);
        if (reference is not null)
        {
            RequireOneOf([.. ordered.Select(run => run.Commit).Distinct()], reference);
        }

        var leftOut = results.Where(entry => entry.Flaw is not null)
            .Select(entry => $"{entry.Run.RunId}, {entry.Scenario.Name}: {entry.Flaw}").ToList();
        var series = results.Where(entry => entry.Flaw is null)
            .GroupBy(entry => (entry.Scenario.Name, entry.Scenario.Hosting))
            .OrderBy(group => group.Key.Name, StringComparer.Ordinal).ThenBy(group => group.Key.Hosting)
            .SelectMany(group => OfScenario([.. group], reference)).ToList();
        return series.Count > 0 ? new RunHistory(ordered, series, leftOut) : throw new FormatException(
            $"None of the {runs.Count} runs holds a sound result of the scenarios asked for" +
            (leftOut.Count == 0 ? "." : $"; {leftOut.Count} are left out, the first: {leftOut[0]}."));
    }

    /// <summary>The commit of a run as reports show it.</summary>
    internal static string Commit(RunResult run) => Short(run.Commit);

    private static string Short(string? commit) => commit is null ? "no commit" : commit[..Math.Min(7, commit.Length)];

    private static void RequireOneOf(IReadOnlyList<string?> commits, string reference)
    {
        var meant = commits.Where(commit => HistoryEntry.Begins(commit, reference)).ToList();
        var wrong = meant.Count switch
        {
            0 => $"No run is of the reference build {reference}. The runs are of {string.Join(", ", commits.Select(Short))}.",
            > 1 => $"The reference build {reference} may be any of {string.Join(", ", meant)}. Name more of its digits.",
            _ when commits.Count == 1 => $"Every run is of the reference build {reference}: nothing is held against it.",
            _ => null,
        };
        if (wrong is not null)
        {
            throw new FormatException(wrong);
        }
    }

    private static IEnumerable<HistorySeries> OfScenario(IReadOnlyList<HistoryEntry> entries, string? reference)
    {
        var eras = entries.GroupBy(entry => entry.Conditions).Select(era => era.ToList()).ToList();
        return eras.SelectMany((era, index) => OfEra(era, reference).Select(series => series with
            {
                Era = index + 1,
                IsCurrent = index == eras.Count - 1,
                Reset = index == 0 ? null : Difference(eras[index - 1][^1], era[0]),
            }))
            .GroupBy(series => series.Metric).SelectMany(group => group).Select(series => series.Examined());
    }

    private static IEnumerable<HistorySeries> OfEra(IReadOnlyList<HistoryEntry> entries, string? reference)
    {
        var values = entries.SelectMany(entry => HistoryMetric.Of(entry.Scenario).Select(found => (found.Metric, entry, found.Value)));
        foreach (var metric in values.GroupBy(value => value.Metric, value => (value.entry, value.Value)))
        {
            var dailyRuns = DailyRun.Of(metric, reference);
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
                    Hosting = entries[0].Scenario.Hosting,
                    Metric = metric.Key,
                    Era = 1,
                    IsCurrent = true,
                    Points = points,
                    Reference = isHeld ? reference : null,
                    DailyRunsWithoutReference = isHeld ? dailyRuns.Count - held.Count : 0,
                };
            }
        }
    }

    private static string Difference(HistoryEntry before, HistoryEntry after) => string.Join(
        "; ",
        ComparisonRules.OfColumns(before.Column, after.Column).Concat(ComparisonRules.OfScenarios(before.Scenario, after.Scenario))
            .Where(difference => difference.ForbidsVerdict)
            .Select(difference => $"{difference.What} {difference.First} to {difference.Other}"));
}

/// <summary>One result of one run, and the daily run it belongs to.</summary>
internal sealed record HistoryEntry(RunResult Run, ScenarioResult Scenario, int DailyRun)
{
    public ComparisonColumn Column => new("", Scenario.Profile, new ComparisonSource(Run.RunId, Run));

    /// <summary>What must stay the same for values to be of one series. Settings and versions may change: what they change is sought.
    /// The load model says how many operations, where that is given.</summary>
    public string Conditions => ContentHash.Of(
        Run.Environment.Fingerprint ?? "", Column.Backend?.Durability ?? "", Scenario.DefinitionHash ?? "",
        Scenario.LoadEngine, Scenario.LoadModel, $"{Scenario.Concurrency} {Scenario.SignalWorkers}");

    /// <summary>Why the result gives no value; null when it does.</summary>
    public string? Flaw =>
        Scenario.Verdict.Outcome != VerdictOutcome.Passed
            ? string.Join(" ", Scenario.Verdict.Reasons.Prepend($"{Scenario.Verdict.Outcome}.".ToLowerInvariant()))
        : Scenario.Generator?.Health == GeneratorState.Bound ? "the generator was the limit"
        : Scenario.Ledger?.Balanced == false ? "the ledger does not balance"
        : Scenario.Validity?.Valid == false ? "not valid"
        : null;

    /// <summary>Whether the run is of the build whose commit begins so.</summary>
    public bool IsOf(string reference) => Begins(Run.Commit, reference);

    public static bool Begins(string? commit, string reference) =>
        commit?.StartsWith(reference, StringComparison.OrdinalIgnoreCase) == true;

    /// <summary>The results of runs in order of time.</summary>
    public static IReadOnlyList<HistoryEntry> Of(IEnumerable<RunResult> ordered, TimeSpan daily)
    {
        var entries = new List<HistoryEntry>();
        var (number, began) = (0, DateTimeOffset.MinValue);
        foreach (var run in ordered)
        {
            if (run.CreatedUtc - began >= daily)
            {
                (number, began) = (number + 1, run.CreatedUtc);
            }

            entries.AddRange(run.Scenarios.Select(scenario => new HistoryEntry(run, scenario, number)));
        }

        return entries;
    }
}

/// <param name="Commits">A value for each commit that was measured.</param>
/// <param name="Reference">Median of the reference build; null when it was not measured in this daily run.</param>
internal sealed record DailyRun(IReadOnlyList<HistoryPoint> Commits, double? Reference)
{
    /// <summary>The daily runs of a metric in which anything but the reference was measured.</summary>
    public static IReadOnlyList<DailyRun> Of(IEnumerable<(HistoryEntry Entry, double Value)> values, string? reference) =>
    [
        .. values.GroupBy(value => value.Entry.DailyRun).Select(daily => One([.. daily], reference))
            .Where(daily => daily.Commits.Count > 0),
    ];

    /// <summary>The values over those of the reference.</summary>
    public IEnumerable<HistoryPoint> Ratios() => Commits.Select(point => point with { Value = point.Value / Reference!.Value });

    private static DailyRun One(IReadOnlyList<(HistoryEntry Entry, double Value)> values, string? reference)
    {
        var pinned = values.ToLookup(value => reference is not null && value.Entry.IsOf(reference));
        return new DailyRun(
            [.. pinned[false].GroupBy(value => value.Entry.Run.Commit).Select(commit => Point([.. commit]))],
            pinned.Contains(true) ? pinned[true].Select(value => value.Value).Median() : null);
    }

    private static HistoryPoint Point(IReadOnlyList<(HistoryEntry Entry, double Value)> repetitions)
    {
        var first = repetitions[0].Entry.Run;
        return new HistoryPoint(first.CreatedUtc, first, repetitions.Select(value => value.Value).Median(), repetitions.Count);
    }
}
