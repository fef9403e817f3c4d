namespace LoadTesting.Core.Load.Live;

/// <summary>A scenario by name, over all of its loads.</summary>
/// <param name="Ended">Counts of the loads that are over.</param>
/// <param name="Running">Figures of the running load; null if none runs.</param>
internal sealed record PublishedScenario(LoadCounts Ended, ScenarioProgress? Running)
{
    /// <summary>Figures of the last load after it has ended; null after they were discarded.</summary>
    internal ScenarioProgress? Last { get; init; }

    internal LoadCounts Counts => Running is null ? Ended : Ended.Plus(Running.Counts);
}
