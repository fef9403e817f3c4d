namespace LoadTesting.Core.Results;

/// <summary>
/// What keeps runs from being merged: the differences that a comparison reports, and data that one of them lacks.
/// </summary>
internal static class MergeDifferences
{
    public static IReadOnlyList<string> Between(IReadOnlyList<ComparisonSource> sources) =>
        [.. OfProfiles(sources).Distinct(), .. RunMerge.Groups(sources).SelectMany(group => OfScenario([.. group]))];

    private static IEnumerable<string> OfProfiles(IReadOnlyList<ComparisonSource> sources)
    {
        var columns = sources.SelectMany(source =>
            source.Run.Scenarios.Select(scenario => scenario.Profile).Distinct()
                .Select(profile => new ComparisonColumn("", profile, source)));
        foreach (var profile in columns.GroupBy(column => column.Profile))
        {
            var first = profile.First();
            foreach (var other in profile.Skip(1))
            {
                foreach (var difference in Comparability.OfColumns(first, other))
                {
                    yield return Described(profile.Key, first.Source, other.Source, difference);
                }
            }
        }
    }

    private static IEnumerable<string> OfScenario(IReadOnlyList<MergeInput> inputs)
    {
        var first = inputs[0];
        foreach (var other in inputs.Skip(1))
        {
            // The load model says how many operations, where that is given; a load of a given time has as many as it
            // has.
            var differences = Comparability.OfScenarios(first.Scenario, other.Scenario);
            foreach (var difference in differences.Where(difference =>
                difference.What is not ("operations" or "injected")))
            {
                yield return Described(first.Scenario.Name, first.Source, other.Source, difference);
            }

            if (!Enumerable.SequenceEqual(Phases(first), Phases(other)))
            {
                yield return Described(
                    first.Scenario.Name, first.Source, other.Source,
                    new("phases", string.Join(", ", Phases(first)), string.Join(", ", Phases(other)),
                        ForbidsVerdict: true));
            }
        }

        foreach (var input in inputs)
        {
            if (input.Scenario.Injected is { } injected)
            {
                yield return $"{input.Scenario.Name}: {input.Source.Label} was made worse on purpose ({injected})";
            }

            foreach (var lacking in Lacking(input.Scenario))
            {
                yield return $"{input.Scenario.Name}: {lacking} is not recorded in {input.Source.Label}";
            }
        }
    }

    private static IEnumerable<string> Lacking(ScenarioResult scenario)
    {
        if (scenario.Ledger is null)
        {
            yield return "ledger";
        }

        foreach (var (name, latency) in scenario.Phases.Prepend(new("latency", scenario.Latency)))
        {
            if (latency is { N: > 0, Histogram: null })
            {
                yield return $"the histogram of {name}";
            }
        }
    }

    private static IEnumerable<string> Phases(MergeInput input) =>
        input.Scenario.Phases.Keys.Order(StringComparer.Ordinal);

    private static string Described(
        string subject, ComparisonSource first, ComparisonSource other, ComparisonDifference difference) =>
        $"{subject}: {difference.What} is '{difference.First}' in {first.Label} and "
            + $"'{difference.Other}' in {other.Label}";
}
