namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// The ladders among a run's scenarios: those that differ in their requests at a time alone, which their names show by
/// <c>-c1</c>, <c>-c4</c> and so on. A scenario's latency may hold the wait for the rest of its batch, so a load step's
/// is that of the scenario's first step, where it has steps.
/// </summary>
internal static class ScenarioLadders
{
    private static readonly CapacityOptions Options = new();

    /// <summary>One result for each ladder of two load steps or more.</summary>
    internal static IReadOnlyList<CapacityResult> Of(IReadOnlyList<ScenarioResult> scenarios)
    {
        var steps = scenarios.Select(scenario => (Scenario: scenario, Ladder: LadderOf(scenario)))
            .Where(entry => entry.Ladder is not null);
        return
        [
            .. steps.GroupBy(
                entry => (entry.Ladder!, entry.Scenario.Profile, entry.Scenario.Hosting), entry => entry.Scenario)
                .Where(ladder => ladder.Select(scenario => scenario.Concurrency).Distinct().Count() > 1)
                .Select(ladder => new CapacityConclusion(Options).Of(
                    new CapacityResult
                    {
                        Name = ladder.Key.Item1,
                        Profile = ladder.Key.Profile,
                        Hosting = ladder.Key.Hosting,
                        Outcome = CapacityOutcome.LadderOnly,
                        Sentence = "",
                        Notes = [
                            "Latency is that of the first step, where scenarios have steps: a whole operation may wait "
                                + "for the rest of its batch."],
                    },
                    [.. ladder.Select(StepOf)],
                    [])),
        ];
    }

    /// <summary>The name without its load step; null if the scenario is not a load step.</summary>
    private static string? LadderOf(ScenarioResult scenario)
    {
        var step = string.Create(CultureInfo.InvariantCulture, $"-c{scenario.Concurrency}");
        var parts = (scenario.Name + "-").Split(step + "-", 2);
        return scenario.Concurrency is not null && parts.Length == 2 ? (parts[0] + "-" + parts[1]).TrimEnd('-') : null;
    }

    private static LoadStepResult StepOf(ScenarioResult scenario)
    {
        var latency = scenario.Phases.Count > 0 ? scenario.Phases.First().Value : scenario.Latency;
        var completed = scenario.Ledger?.Completed ?? scenario.Latency.N;
        return new LoadStepResult
        {
            Concurrency = scenario.Concurrency,
            WindowMs = scenario.DurationMs,
            Completed = completed,
            ThroughputPerSecond = scenario.ThroughputPerSecond,
            P50Ms = latency.P50Ms,
            P95Ms = latency.P95Ms,
            Failed = scenario.Operations - completed,
            GeneratorEvidence = scenario.Generator is { } generator
                ? generator.Health == GeneratorState.Bound ? [.. generator.Evidence] : []
                : null,
            Waits = scenario.Backend?.Waits ?? [],
        };
    }
}
