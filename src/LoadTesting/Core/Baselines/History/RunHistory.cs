using MathNet.Numerics.Statistics;

namespace LoadTesting.Core.Baselines.History;

/// <summary>
/// Nightly runs as series, a value a night: the median of the repetitions of a commit. What did not pass, or was not valid, has no value. A series
/// ends, and another begins, when machine, durability, content or load change.
/// </summary>
public sealed record RunHistory
{
    /// <summary>Time from the first run of a night in which a run still belongs to it.</summary>
    public static readonly TimeSpan Night = TimeSpan.FromHours(12);

    private RunHistory(IReadOnlyList<RunResult> runs, IReadOnlyList<HistorySeries> series, IReadOnlyList<string> leftOut)
    {
        Runs = runs;
        Series = series;
        LeftOut = leftOut;
    }

    /// <summary>The runs, the oldest first.</summary>
    public IReadOnlyList<RunResult> Runs { get; }

    /// <summary>The series by scenario, metric and era.</summary>
    public IReadOnlyList<HistorySeries> Series { get; }

    /// <summary>Results that give no value, each with its run and the reason.</summary>
    public IReadOnlyList<string> LeftOut { get; }

    /// <summary>Makes series of runs.</summary>
    /// <param name="runs">The runs, in any order.</param>
    /// <param name="reference">Beginning of the commit of a build that was measured along with the others; null without one.</param>
    /// <param name="patterns">Scenarios to take, by full name, <c>*</c> and <c>?</c> standing for characters and a leading <c>!</c> taking
    /// away; every one when empty.</param>
    /// <exception cref="FormatException">No sound result is left, or no run is of the reference.</exception>
    public static RunHistory Of(IReadOnlyList<RunResult> runs, string? reference = null, IReadOnlyList<string>? patterns = null)
    {
        ArgumentNullException.ThrowIfNull(runs);
        var ordered = runs.Select(run => RunSelection.Of(run, patterns ?? [])).OrderBy(run => run.CreatedUtc).ToList();
        if (reference is not null && !ordered.Any(run => IsOf(run, reference)))
        {
            throw new FormatException($"No run is of the reference build {reference}. The runs are of {string.Join(", ", ordered.Select(Commit).Distinct())}.");
        }

        var results = HistoryEntry.Of(ordered, Night);
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

    /// <summary>The commit of a run as it is told.</summary>
    internal static string Commit(RunResult run) => run.Commit is { } commit ? commit[..Math.Min(7, commit.Length)] : "no commit";

    private static bool IsOf(RunResult run, string reference) =>
        run.Commit is { } commit && commit.StartsWith(reference, StringComparison.OrdinalIgnoreCase);

    private static IEnumerable<HistorySeries> OfScenario(IReadOnlyList<HistoryEntry> entries, string? reference)
    {
        var eras = entries.GroupBy(entry => entry.Conditions).ToList();
        return eras.SelectMany((era, index) => OfEra([.. era], reference)
                .Select(series => series with
                {
                    Era = index + 1, IsCurrent = index == eras.Count - 1, Reset = index == 0 ? null : Difference(eras[index - 1].Last(), era.First()),
                }))
            .GroupBy(series => series.Metric).SelectMany(group => group).Select(series => series.Examined());
    }

    private static IEnumerable<HistorySeries> OfEra(IReadOnlyList<HistoryEntry> entries, string? reference)
    {
        var values = entries.SelectMany(entry => HistoryMetric.Of(entry.Scenario).Select(found => (entry, found.Metric, found.Value)));
        foreach (var metric in values.GroupBy(value => value.Metric))
        {
            var nights = metric.GroupBy(value => value.entry.Night)
                .Select(night => (
                    Reference: Median([.. night.Where(value => reference is not null && IsOf(value.entry.Run, reference)).Select(value => value.Value)]),
                    Commits: night.Where(value => reference is null || !IsOf(value.entry.Run, reference)).GroupBy(value => value.entry.Run.Commit)
                        .Select(commit => new HistoryPoint(
                            commit.First().entry.Run.CreatedUtc, commit.First().entry.Run, Median([.. commit.Select(value => value.Value)])!.Value,
                            commit.Count())).ToList()))
                .Where(night => night.Commits.Count > 0).ToList();
            var held = nights.Where(night => night.Reference is > 0).ToList();
            var isHeld = held.Count > 0;
            List<HistoryPoint> points = isHeld
                ? [.. held.SelectMany(night => night.Commits.Select(point => point with { Value = point.Value / night.Reference!.Value }))]
                : [.. nights.SelectMany(night => night.Commits)];
            if (points.Count > 0)
            {
                yield return new HistorySeries
                {
                    Scenario = entries[0].Scenario.Name, Hosting = entries[0].Scenario.Hosting, Metric = metric.Key, Era = 1, IsCurrent = true, Points = points,
                    Reference = isHeld ? reference : null, NightsWithoutReference = isHeld ? nights.Count - held.Count : 0,
                };
            }
        }
    }

    private static double? Median(IReadOnlyList<double> values) => values.Count > 0 ? values.Median() : null;

    private static string Difference(HistoryEntry before, HistoryEntry after)
    {
        var differences = ComparisonRules.OfColumns(before.Column, after.Column).Concat(ComparisonRules.OfScenarios(before.Scenario, after.Scenario))
            .Where(difference => difference.ForbidsVerdict).Select(difference => $"{difference.What} {difference.First} to {difference.Other}");
        return string.Join("; ", differences);
    }
}
