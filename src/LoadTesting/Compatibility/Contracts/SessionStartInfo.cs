namespace LoadTesting.Contracts;

/// <summary>The scenarios that are about to start.</summary>
public sealed record SessionStartInfo(ScenarioStartInfo[] Scenarios);
