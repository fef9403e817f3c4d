namespace LoadTesting.Contracts.Stats;

/// <summary>What the reports are made of, for <c>WithReportFinalizer</c>.</summary>
public sealed class ReportData
{
    public ScenarioStats[] ScenarioStats { get; set; } = [];

    public static ReportData Create(ScenarioStats[] scenarioStats) => new() { ScenarioStats = scenarioStats };

    public ScenarioStats GetScenarioStats(string scenarioName) => FindScenarioStats(scenarioName)
        ?? throw new KeyNotFoundException($"There is no scenario '{scenarioName}'.");

    public ScenarioStats FindScenarioStats(string scenarioName) =>
        ScenarioStats.FirstOrDefault(scenario => scenario.ScenarioName == scenarioName);
}
