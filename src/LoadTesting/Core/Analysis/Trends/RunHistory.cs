namespace LoadTesting.Core.Analysis.Trends;

/// <summary>
/// Daily runs as series, one value per daily run: the median of the repetitions of a commit. What did not pass, or was not valid, is kept
/// beside the series and is no part of its levels. A series ends, and another begins, when machine, durability, content or load change.
/// </summary>
public sealed record RunHistory
{
    /// <summary>A run that begins within this time of the first one belongs to the same daily run.</summary>
    public static readonly TimeSpan DailyRunSpan = TimeSpan.FromHours(12);

    private RunHistory(IReadOnlyList<RunResult> runs, IReadOnlyList<HistorySeries> series, IReadOnlyList<HistoryEntry> unsound)
    {
        Runs = runs;
        Series = series;
        LeftOut = [.. unsound.Select(entry => entry.ToString())];
    }

    /// <summary>The runs, the oldest first.</summary>
    public IReadOnlyList<RunResult> Runs { get; }

    public IReadOnlyList<HistorySeries> Series { get; }

    /// <summary>Results that are no part of a level, each with its run and the reason.</summary>
    public IReadOnlyList<string> LeftOut { get; }

    /// <summary>
    /// Scenarios of which a result of the newest daily run failed, while none of the daily run before did, or there is none before; and
    /// those of which the daily run before has a result and the newest has none. A sentence each, reported once.
    /// </summary>
    public IReadOnlyList<string> NewFailures { get; private init; } = [];

    /// <param name="runs">The runs, in any order.</param>
    /// <param name="reference">Beginning of the commit of a build that was measured along with the others; null without one.</param>
    /// <param name="patterns">Scenarios to take, by full name, <c>*</c> and <c>?</c> standing for characters and a leading <c>!</c> taking
    /// away; every one when empty.</param>
    /// <exception cref="FormatException">No result is left, or the reference names no build or several.</exception>
    public static RunHistory Of(IReadOnlyList<RunResult> runs, string? reference = null, IReadOnlyList<string>? patterns = null)
    {
        ArgumentNullException.ThrowIfNull(runs);
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

    /// <summary>Failures of the reference build are none of the build under test.</summary>
    private static string? NewFailure(IReadOnlyList<HistoryEntry> entries, string? reference, int newest)
    {
        var dailyRuns = entries.Where(entry => reference is null || !entry.IsOf(reference)).GroupBy(entry => entry.DailyRun)
            .Select(daily => daily.ToList()).ToList();
        if (dailyRuns.Count > 0 && dailyRuns[^1][0].DailyRun == newest - 1)
        {
            return $"{dailyRuns[^1][^1].Scenario.Name}: the newest daily run has no result of it, and the one before had";
        }

        var failures = dailyRuns.Select(daily => daily.Find(entry => entry.HasFailed)).ToList();
        var isNew = failures.Count > 0 && dailyRuns[^1][0].DailyRun == newest && (failures.Count == 1 || failures[^2] is null);
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

    private static IEnumerable<HistorySeries> OfScenario(IReadOnlyList<HistoryEntry> entries, string? reference, int newest)
    {
        var current = entries[^1].DailyRun;
        var eras = entries.GroupBy(entry => entry.Conditions).Select(era => era.ToList()).ToList();
        return eras.SelectMany((era, index) => OfEra(era, reference).Select(series => series with
            {
                Era = index + 1,
                IsCurrent = era[^1].DailyRun == current,
                Reset = index == 0 ? null : Difference(eras[index - 1][^1], era[0]),
            }))
            .GroupBy(series => series.Metric).SelectMany(group => group).Select(series => series.Examined(newest));
    }

    private static IEnumerable<HistorySeries> OfEra(IReadOnlyList<HistoryEntry> entries, string? reference)
    {
        var values = entries.SelectMany(entry => entry.Values.Select(found => (found.Metric, Value: new HistoryValue(entry, found.Value))));
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

    private static List<HistoryPoint> Unsound(IEnumerable<HistoryValue> values, string? reference) =>
    [
        .. DailyRun.Of(values.Where(value => value.Entry.Flaw is not null), reference).SelectMany(daily => daily.Commits),
    ];

    private static string Difference(HistoryEntry before, HistoryEntry after) => string.Join(
        "; ",
        ComparisonRules.OfColumns(before.Column, after.Column).Concat(ComparisonRules.OfScenarios(before.Scenario, after.Scenario))
            .Where(difference => difference.ForbidsVerdict)
            .Select(difference => $"{difference.What} {difference.First} to {difference.Other}"));
}

/// <summary>One result of one run, or what one search for the capacity found, and the daily run it belongs to.</summary>
internal sealed record HistoryEntry(RunResult Run, ScenarioResult Scenario, int DailyRun)
{
    /// <summary>The search that <see cref="Scenario"/> stands for; null of a scenario.</summary>
    public CapacityResult? Capacity { get; init; }

    public ComparisonColumn Column => new("", Scenario.Profile, new ComparisonSource(Run.RunId, Run));

    /// <summary>What must stay the same for values to be of one series. Settings and versions may change: what they change is sought.
    /// The load model says how many operations, where that is given.</summary>
    public string Conditions => ContentHash.Of(
        Run.Environment.Fingerprint ?? "", Column.Backend?.Durability ?? "", Scenario.DefinitionHash ?? "",
        Scenario.LoadEngine, Scenario.LoadModel, $"{Scenario.Concurrency} {Scenario.SignalWorkers}");

    /// <summary>Why the result is no part of a level; null when it is.</summary>
    public string? Flaw =>
        Scenario.Verdict.Outcome != VerdictOutcome.Passed
            ? string.Join(" ", Scenario.Verdict.Reasons.Prepend($"{Scenario.Verdict.Outcome}.".ToLowerInvariant()))
        : Scenario.Injected is { } injected ? $"made worse on purpose ({injected})"
        : Scenario.Generator?.Health == GeneratorState.Bound ? "the generator was the limit"
        : Scenario.Ledger?.Balanced == false ? "the ledger does not balance"
        : Scenario.Validity?.Valid == false ? "not valid"
        : null;

    /// <summary>Whether the flaw is the system's.</summary>
    public bool HasFailed => Scenario.Verdict.Outcome == VerdictOutcome.Failed || Scenario.Ledger?.Balanced == false;

    /// <summary>The figures that are followed.</summary>
    public IEnumerable<(HistoryMetric Metric, double Value)> Values =>
        Capacity is null ? HistoryMetric.Of(Scenario)
        : Capacity.LimitPerSecond is { } limit ? [(HistoryMetric.Capacity, limit)]
        : [];

    public override string ToString() => $"{Run.RunId}, {Scenario.Name}: {Flaw}";

    /// <summary>Whether the run is of the build whose commit begins so.</summary>
    public bool IsOf(string reference) => Begins(Run.Commit, reference);

    public static bool Begins(string? commit, string reference) =>
        commit?.StartsWith(reference, StringComparison.OrdinalIgnoreCase) == true;

    /// <param name="ordered">The runs, the oldest first.</param>
    /// <param name="daily">Length of a daily run.</param>
    /// <param name="patterns">Searches for a capacity to take, as of scenarios.</param>
    public static IReadOnlyList<HistoryEntry> Of(IEnumerable<RunResult> ordered, TimeSpan daily, IReadOnlyList<string> patterns)
    {
        var entries = new List<HistoryEntry>();
        var (number, began) = (0, DateTimeOffset.MinValue);
        foreach (var run in ordered)
        {
            if (run.CreatedUtc - began >= daily)
            {
                (number, began) = (number + 1, run.CreatedUtc);
            }

            var kept = RunSelection.Of(run, patterns);
            entries.AddRange(kept.Scenarios.Select(scenario => new HistoryEntry(kept, scenario, number)));
            entries.AddRange(Measured.Searches(run).Where(search => RunSelection.Matches(patterns, search.Scenario.Name))
                .Select(search => new HistoryEntry(run, search.Scenario, number) { Capacity = search.Capacity }));
        }

        return entries;
    }
}

/// <param name="Entry">The result it is from.</param>
/// <param name="Value">A figure of one metric.</param>
internal sealed record HistoryValue(HistoryEntry Entry, double Value);

/// <param name="Commits">A value for each commit that was measured.</param>
/// <param name="Reference">Median of the reference build; null when it was not measured in this daily run.</param>
internal sealed record DailyRun(IReadOnlyList<HistoryPoint> Commits, double? Reference)
{
    /// <summary>The daily runs of a metric in which anything but the reference was measured.</summary>
    public static IReadOnlyList<DailyRun> Of(IEnumerable<HistoryValue> values, string? reference) =>
    [
        .. values.GroupBy(value => value.Entry.DailyRun).Select(daily => One([.. daily], reference))
            .Where(daily => daily.Commits.Count > 0),
    ];

    /// <summary>The values over those of the reference.</summary>
    public IEnumerable<HistoryPoint> Ratios() => Commits.Select(point => point with
    {
        Value = point.Value / Reference!.Value,
        Interval = point.Interval is { } interval ? new(interval.Low / Reference.Value, interval.High / Reference.Value) : null,
    });

    private static DailyRun One(IReadOnlyList<HistoryValue> values, string? reference)
    {
        var pinned = values.ToLookup(value => reference is not null && value.Entry.IsOf(reference));
        return new DailyRun(
            [.. pinned[false].GroupBy(value => value.Entry.Run.Commit).Select(commit => Point([.. commit]))],
            pinned.Contains(true) ? pinned[true].Select(value => value.Value).Median() : null);
    }

    private static HistoryPoint Point(IReadOnlyList<HistoryValue> repetitions)
    {
        var first = repetitions[0].Entry;
        var brackets = repetitions.Select(value => value.Entry.Capacity?.Bracket).OfType<IntervalResult>().ToList();
        return new HistoryPoint(first.Run.CreatedUtc, first.Run, repetitions.Select(value => value.Value).Median(), repetitions.Count)
        {
            DailyRun = first.DailyRun,
            Interval = brackets.Count == 0 ? null : new(brackets.Min(bracket => bracket.Low), brackets.Max(bracket => bracket.High)),
            Flaw = first.Flaw,
        };
    }
}
