using System.Data;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts.Stats;

/// <summary>The result of a session.</summary>
public sealed class NodeStats
{
    public static NodeStats Empty => new();

    public ScenarioStats[] ScenarioStats { get; set; } = [];
    public ThresholdResult[] Thresholds { get; set; } = [];
    public DataSet[] PluginStats { get; set; } = [];
    public NodeInfo NodeInfo { get; set; } = new();
    public TestInfo TestInfo { get; set; } = new();
    public ReportFile[] ReportFiles { get; set; } = [];
    public int AllRequestCount { get; set; }
    public int AllOkCount { get; set; }
    public int AllFailCount { get; set; }
    public long AllBytes { get; set; }
    public TimeSpan Duration { get; set; }

    /// <summary>
    /// What the built-in engine measured: what never started, schedule lag, stalls, whether the generator was the
    /// limit, and whole histograms.
    /// </summary>
    public BuiltIn.LoadResult Measured { get; set; }

    public ScenarioStats GetScenarioStats(string scenarioName) => FindScenarioStats(scenarioName)
        ?? throw new KeyNotFoundException($"There is no scenario '{scenarioName}'.");

    public ScenarioStats FindScenarioStats(string scenarioName) =>
        ScenarioStats.FirstOrDefault(scenario => scenario.ScenarioName == scenarioName);
}
