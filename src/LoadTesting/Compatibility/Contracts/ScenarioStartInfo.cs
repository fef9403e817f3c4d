namespace LoadTesting.Contracts;

/// <summary>A scenario that is about to start.</summary>
public sealed record ScenarioStartInfo(string ScenarioName, int SortIndex);
