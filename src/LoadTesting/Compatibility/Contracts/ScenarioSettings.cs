using Microsoft.Extensions.Configuration;

namespace LoadTesting.Contracts;

/// <summary>What a JSON configuration says about a scenario.</summary>
internal sealed record ScenarioSettings
{
    public string ScenarioName { get; init; }

    /// <summary>Null means no warm-up: a scenario with settings has only the warm-up that they name.</summary>
    public TimeSpan? WarmUpDuration { get; init; }

    public IReadOnlyList<LoadSimulation> LoadSimulations { get; init; }
    public IReadOnlyList<Threshold> Thresholds { get; init; }
    public IConfiguration CustomSettings { get; init; }
    public int? MaxFailCount { get; init; }
    public int? Weight { get; init; }
}
