namespace LoadTesting.Core.Results;

/// <summary>
/// Merges what backends counted: sums are summed, costs are divided anew by all operations that completed.
/// </summary>
internal static class CountersMerge
{
    public static BackendCounters? Of(IReadOnlyList<MergeInput> inputs)
    {
        var parts = inputs.Select(
            input => (Counters: input.Scenario.Backend!, input.Completed, input.Scenario.DurationMs)).ToList();
        if (parts.Any(part => part.Counters is null))
        {
            return null;
        }

        var names = parts.SelectMany(part => part.Counters.PerOperation.Keys).Distinct().ToList();
        var sources = names.ToDictionary(
            name => name,
            name => parts.Select(part => part.Counters.Sources?.GetValueOrDefault(name)).Distinct().ToList());
        var unlike = names.Where(name => sources[name].Count > 1).ToList();
        var kept = names.Except(unlike).Where(name => sources[name][0] is not null)
            .ToDictionary(name => name, name => sources[name][0]!);
        return new BackendCounters
        {
            Raw = Common(parts.Select(part => part.Counters.Raw.Keys))
                .ToDictionary(name => name, name => parts.Sum(part => part.Counters.Raw[name])),
            PerOperation = names.ToDictionary(
                name => name,
                name => unlike.Contains(name) ? null : Weighted.Mean(
                    parts.Select(
                        part => (part.Counters.PerOperation.GetValueOrDefault(name), (double)part.Completed)))),
            Sources = kept.Count == 0 ? null : kept,
            Waits = Waits(parts.ConvertAll(part => (part.Counters.Waits, part.DurationMs))),
            Notes =
            [
                .. parts.SelectMany(part => part.Counters.Notes).Distinct(),
                .. unlike.Select(name => $"{name} is null: not every run counted it by the same source."),
                "Merged: raw counters that every run has are summed, costs are per completed operation of all runs, " +
                "shares of waits are weighted by duration.",
            ],
        };
    }

    private static IEnumerable<string> Common(IEnumerable<IEnumerable<string>> names) =>
        names.Aggregate(Enumerable.Intersect);

    // Without waits a run was too short to have shares; the others' would speak for it.
    private static List<WaitResult> Waits(IReadOnlyList<(IReadOnlyList<WaitResult> Waits, double DurationMs)> parts)
    {
        if (parts.Any(part => part.Waits.Count == 0))
        {
            return [];
        }

        return [.. parts.SelectMany(part => part.Waits.Select(wait => wait.Name)).Distinct()
            .Select(name => new WaitResult(
                name, Weighted.Mean(parts.Select(part => (Share(part.Waits, name), part.DurationMs))) ?? 0))
            .OrderByDescending(wait => wait.Share)];

        static double? Share(IReadOnlyList<WaitResult> waits, string name) =>
            waits.Where(wait => wait.Name == name).Sum(wait => wait.Share);
    }
}
