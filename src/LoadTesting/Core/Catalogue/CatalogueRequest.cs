namespace LoadTesting.Core.Catalogue;

/// <summary>A request to measure a scenario.</summary>
/// <param name="Scenario">A scenario of the catalogue.</param>
/// <param name="Profile">A profile of the scenario.</param>
public sealed record CatalogueRequest(CatalogueScenario Scenario, string Profile)
{
    /// <summary>Started operations per second, 1 to 1,000,000; null for the scenario's own load.</summary>
    public int? RatePerSecond { get; init; }

    /// <summary>Duration of the load; null for the scenario's own.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Number of warm-up operations; null for the scenario's own.</summary>
    public int? WarmUpOperations { get; init; }

    /// <summary>
    /// The command that measures this scenario alone again, for a POSIX shell; the catalogue adds the variables that it
    /// reads. Null (the default) if the caller has none.
    /// </summary>
    public string? Command { get; init; }
}
