namespace LoadTesting.Core.Analysis;

/// <summary>
/// What a run measured under one name: a scenario, or a search for the capacity in the form of one, so that the rules
/// of comparison hold for both.
/// </summary>
/// <param name="Scenario">The scenario's result; of a search one without operations, whose load model is the search's
/// criteria.</param>
/// <param name="Capacity">The result of the search; null for a scenario.</param>
internal sealed record Measured(ScenarioResult Scenario, CapacityResult? Capacity = null)
{
    /// <summary>The key by which results are matched.</summary>
    public (string Name, HostingKind Hosting) Key => (Scenario.Name, Scenario.Hosting);

    /// <summary>Scenarios and searches of a run, in this order.</summary>
    public static IEnumerable<Measured> Of(RunResult run) =>
        run.Scenarios.Select(scenario => new Measured(scenario)).Concat(Searches(run));

    /// <summary>
    /// The scenarios and searches of a run, each once: of one that was measured several times the newest result, unless
    /// another failed.
    /// </summary>
    public static IReadOnlyList<Measured> EachOf(RunResult run) =>
        [.. Of(run).GroupBy(measured => measured.Key).Select(group => NewestOrFailed(group)!)];

    /// <summary>Of repeated measurements the newest; a failed one takes precedence.</summary>
    public static Measured? NewestOrFailed(IEnumerable<Measured> measured) =>
        measured.OrderBy(one => one.Scenario.Verdict.Outcome == VerdictOutcome.Failed).LastOrDefault();

    public static IEnumerable<Measured> Searches(RunResult run) =>
        run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly).Select(capacity => new Measured(
            new ScenarioResult
            {
                Name = capacity.Name,
                Tier = "",
                Profile = capacity.Profile,
                Hosting = capacity.Hosting,
                LoadEngine = "",
                LoadModel = string.Join("; ", capacity.Open?.Criteria ?? []),
                DefinitionHash = ContentHash.Of(capacity.Name),
                Operations = 0,
                DurationMs = 0,
                ThroughputPerSecond = 0,
                Latency = new LatencyResult { N = 0 },
                Verdict = capacity.ToVerdict(),
            },
            capacity));
}
