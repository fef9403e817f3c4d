namespace LoadTesting.Core.Load;

/// <summary>Which copy of which scenario is running.</summary>
/// <param name="ScenarioName">The scenario's name.</param>
/// <param name="InstanceNumber">The copy, from 0. Copies of an open model are reused once their iteration has
/// ended.</param>
/// <param name="ScenarioOperation">Warm-up or measurement.</param>
public sealed record ScenarioInfo(string ScenarioName, int InstanceNumber, ScenarioOperation ScenarioOperation)
{
    /// <summary>Name and copy in one word, unique within a run and operation.</summary>
    public string InstanceId { get; } = $"{ScenarioName}_{InstanceNumber}";
}
