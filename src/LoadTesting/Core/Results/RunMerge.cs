namespace LoadTesting.Core.Results;

/// <summary>
/// Several runs as one: histograms are merged exactly, ledgers and counters summed and divided anew, and the values of
/// each run are kept. Runs merge only when they are alike in machine, commit, backend with its settings, content and
/// load, and when each is sound.
/// </summary>
public static class RunMerge
{
    /// <summary>Merges runs; the repetitions of a scenario within a run are merged too.</summary>
    /// <param name="sources">At least two runs, in any order.</param>
    /// <exception cref="FormatException">
    /// Fewer than two runs, one run twice, or unlike ones; the message names every difference with both values.
    /// </exception>
    public static RunResult Of(IReadOnlyList<ComparisonSource> sources)
    {
        var parts = sources.OrderBy(source => source.Run.CreatedUtc)
            .ThenBy(source => source.Run.RunId, StringComparer.Ordinal).ToList();
        RequireSeveral(parts);
        var problems = MergeDifferences.Between(parts);
        if (problems.Count > 0)
        {
            throw new FormatException(
                "The runs are unlike and are not "
                    + $"merged:\n{string.Join("\n", problems.Select(problem => "- " + problem))}\nMerge runs of one "
                    + "commit, machine, backend and scenario; 'wfperf compare' sets unlike ones side by side.");
        }

        return Together(
            parts, string.Create(CultureInfo.InvariantCulture, $"merged{parts.Count}"),
            [.. Groups(parts).Select(group => ScenarioMerge.Of([.. group]))]);
    }

    /// <summary>What runs have in common, with scenarios that have been merged.</summary>
    internal static RunResult Together(
        IReadOnlyList<ComparisonSource> parts, string suffix, IReadOnlyList<ScenarioResult> scenarios)
    {
        var runs = parts.Select(part => part.Run).ToList();
        var first = runs[0];
        return new RunResult
        {
            RunId = $"{first.RunId}-{suffix}",
            CreatedUtc = first.CreatedUtc,
            Commit = first.Commit,
            Dirty = first.Dirty,
            Environment = Environment(runs),
            Partial = runs.Select(run => run.Partial).FirstOrDefault(partial => partial is not null),
            CeilingsByProfile = CeilingsMerge.ByProfile(runs),
            Scenarios = scenarios,
            NotExercised = [.. runs.SelectMany(run => run.NotExercised).Distinct()],
            Notes =
            [
                $"Merged from {string.Join(", ", runs.Select(run => run.RunId))}.",
                .. runs.SelectMany(run => run.Capacity)
                    .Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly)
                    .Select(capacity => capacity.Name).Distinct()
                    .Select(name => $"The search for the capacity of {name} is not merged; see the runs' own files."),
                .. runs.SelectMany(run => run.Notes).Distinct(),
            ],
        };
    }

    /// <summary>The results of each scenario, by the order in which scenarios first finished.</summary>
    internal static IEnumerable<IGrouping<(string Name, HostingKind Hosting), MergeInput>> Groups(
        IEnumerable<ComparisonSource> sources) =>
        sources.SelectMany(source => source.Run.Scenarios.Select(scenario => new MergeInput(source, scenario)))
            .GroupBy(input => (input.Scenario.Name, input.Scenario.Hosting));

    private static void RequireSeveral(List<ComparisonSource> parts)
    {
        if (parts.GroupBy(part => part.Run.RunId).FirstOrDefault(group => group.Count() > 1) is { } twice)
        {
            throw new FormatException(
                $"Run {twice.Key} is named {twice.Count()} times "
                    + $"({string.Join(", ", twice.Select(part => part.Label))}) " +
                "and would be counted as often. Name it once.");
        }

        if (parts.Count < 2)
        {
            throw new FormatException($"{parts.Count} run is nothing to merge. Name at least two.");
        }
    }

    // What stays the same is known to be the same; of what happened meanwhile the whole span, or the worst, is
    // reported.
    private static EnvironmentInfo Environment(List<RunResult> runs)
    {
        var environments = runs.ConvertAll(run => run.Environment);
        return environments[0] with
        {
            BootId = environments.Select(environment => environment.BootId).Distinct().Count() == 1
                ? environments[0].BootId
                : null,
            LoadAverageAfter = environments[^1].LoadAverageAfter,
            StealShare = environments.Any(environment => environment.StealShare is null)
                ? null
                : environments.Max(environment => environment.StealShare),
            Unoptimised = environments.Any(environment => environment.Unoptimised is null)
                ? null
                : [.. environments.SelectMany(environment => environment.Unoptimised!).Distinct()],
            Backends = environments.SelectMany(environment => environment.Backends).GroupBy(entry => entry.Key)
                .ToDictionary(group => group.Key, group => group.First().Value),
            Notes =
            [
                "stealShare is the greatest of the merged runs; loadAverageBefore is that of the first, "
                    + "loadAverageAfter that of the last.",
                .. environments.SelectMany(environment => environment.Notes).Distinct()
                    .Where(note => note != EnvironmentInfo.SeveralBackends),
            ],
        };
    }
}
