namespace LoadTesting.Core.Results;

/// <summary>One result of the scenario that is merged.</summary>
internal sealed record MergeInput(ComparisonSource Source, ScenarioResult Scenario)
{
    /// <summary>Operations that completed: what counted costs were divided by.</summary>
    public long Completed => Scenario.Ledger?.Completed ?? Scenario.Latency.N;

    /// <summary>The run's own values; those of its parts when it was merged before.</summary>
    public IReadOnlyList<MergedPart> Parts => Scenario.Runs ??
    [
        new MergedPart
        {
            RunId = Source.Run.RunId,
            StartedUtc = Scenario.StartedUtc ?? Source.Run.CreatedUtc,
            Operations = Scenario.Operations,
            Completed = Completed,
            DurationMs = Scenario.DurationMs,
            ThroughputPerSecond = Scenario.ThroughputPerSecond,
            Latency = Scenario.Latency,
            Phases = Scenario.Phases,
            PerOperation = Scenario.Backend?.PerOperation ?? new Dictionary<string, double?>(),
        },
    ];
}
