namespace LoadTesting.Core.Analysis.Trends;

/// <summary>
/// One result of one run, or what one search for the capacity found, and the daily run it belongs to.
/// </summary>
internal sealed record HistoryEntry(RunResult Run, ScenarioResult Scenario, int DailyRun)
{
    /// <summary>The search that <see cref="Scenario"/> represents; null for a scenario.</summary>
    public CapacityResult? Capacity { get; init; }

    public ComparisonColumn Column => new("", Scenario.Profile, new ComparisonSource(Run.RunId, Run));

    /// <summary>Why the result does not count towards a level; null if it counts.</summary>
    public string? Flaw =>
        Scenario.Verdict.Outcome != VerdictOutcome.Passed
            ? string.Join(" ", Scenario.Verdict.Reasons.Prepend($"{Scenario.Verdict.Outcome}.".ToLowerInvariant()))
        : Scenario.Injected is { } injected ? $"made worse on purpose ({injected})"
        : Scenario.Generator?.Health == GeneratorState.Bound ? "the generator was the limit"
        : Scenario.Ledger?.Balanced == false ? "the ledger does not balance"
        : Scenario.Validity?.Valid == false ? "not valid"
        : null;

    /// <summary>Whether the system caused the flaw.</summary>
    public bool HasFailed => Scenario.Verdict.Outcome == VerdictOutcome.Failed || Scenario.Ledger?.Balanced == false;

    /// <summary>The figures of the history.</summary>
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
    public static IReadOnlyList<HistoryEntry> Of(
        IEnumerable<RunResult> ordered, TimeSpan daily, IReadOnlyList<string> patterns)
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
            entries.AddRange(
                Measured.Searches(run).Where(search => RunSelection.Matches(patterns, search.Scenario.Name))
                .Select(search => new HistoryEntry(run, search.Scenario, number) { Capacity = search.Capacity }));
        }

        return entries;
    }
}
