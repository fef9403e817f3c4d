using System.Data;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts.Stats;

public enum ReportFormat
{
    Txt = 0,
    Html = 1,
    Csv = 2,
    Md = 3,
}

public enum OperationType
{
    None = 0,
    Init = 1,
    WarmUp = 2,
    Bombing = 3,
    Stop = 4,
    Complete = 5,
    Error = 6,
}

/// <summary>Always a single node: there is no cluster.</summary>
public enum NodeType
{
    SingleNode = 0,
    Coordinator = 1,
    Agent = 2,
}

/// <summary>Which session this is.</summary>
public sealed class TestInfo
{
    public static TestInfo Empty => new() { Created = DateTime.MinValue };

    public string SessionId { get; set; } = "";
    public string TestSuite { get; set; } = "";
    public string TestName { get; set; } = "";
    public string ClusterId { get; set; } = "";

    /// <summary>UTC.</summary>
    public DateTime Created { get; set; }
}

/// <summary>Where it runs.</summary>
public sealed class NodeInfo
{
    public static NodeInfo Empty => new();

    public string MachineName { get; set; } = "";
    public NodeType NodeType { get; set; }
    public OperationType CurrentOperation { get; set; }
    public string OS { get; set; } = "";
    public string DotNetVersion { get; set; } = "";
    public string Processor { get; set; } = "";
    public int CoresCount { get; set; }

    /// <summary>The version of this library.</summary>
    public string NBomberVersion { get; set; } = "";
}

/// <summary>How often a status code was given.</summary>
public sealed class StatusCodeStats
{
    public string StatusCode { get; set; } = "";
    public bool IsError { get; set; }
    public string Message { get; set; } = "";
    public int Count { get; set; }

    /// <inheritdoc cref="RequestStats.Percent"/>
    public int Percent { get; set; }
}

public sealed class RequestStats
{
    public int Count { get; set; }

    /// <summary>Per second of real time.</summary>
    public double RPS { get; set; }

    /// <summary>Share of all, 0 to 100, rounded; 0 and 100 mean none and all.</summary>
    public int Percent { get; set; }
}

/// <summary>How many took at most 800 ms, more, and at least 1,200 ms.</summary>
public sealed class LatencyCount
{
    public int LessOrEq800 { get; set; }
    public int More800Less1200 { get; set; }
    public int MoreOrEq1200 { get; set; }
}

/// <summary>
/// Milliseconds; 0 where nothing ended. Of a scenario and its steps under an open load from the intended start, under a closed one from the
/// actual start.
/// </summary>
public sealed class LatencyStats
{
    public double MinMs { get; set; }
    public double MeanMs { get; set; }
    public double MaxMs { get; set; }
    public double Percent50 { get; set; }
    public double Percent75 { get; set; }
    public double Percent95 { get; set; }
    public double Percent99 { get; set; }
    public double StdDev { get; set; }
    public LatencyCount LatencyCount { get; set; } = new();
}

/// <summary>Bytes, of the responses that named a size; 0 where none did.</summary>
public sealed class DataTransferStats
{
    public long MinBytes { get; set; }
    public long MeanBytes { get; set; }
    public long MaxBytes { get; set; }
    public long Percent50 { get; set; }
    public long Percent75 { get; set; }
    public long Percent95 { get; set; }
    public long Percent99 { get; set; }
    public double StdDev { get; set; }
    public long AllBytes { get; set; }
}

/// <summary>The successes, or the failures, of a scenario or a step.</summary>
public sealed class MeasurementStats
{
    public RequestStats Request { get; set; } = new();
    public LatencyStats Latency { get; set; } = new();
    public DataTransferStats DataTransfer { get; set; } = new();

    /// <summary>The most frequent first. Those of a scenario are its own and those of its steps.</summary>
    public StatusCodeStats[] StatusCodes { get; set; } = [];
}

public sealed class StepStats
{
    public StepStats()
    {
    }

    public StepStats(string stepName, MeasurementStats ok, MeasurementStats fail, int sortIndex = 0) =>
        (StepName, Ok, Fail, SortIndex) = (stepName, ok, fail, sortIndex);

    public string StepName { get; set; } = "";
    public MeasurementStats Ok { get; set; } = new();
    public MeasurementStats Fail { get; set; } = new();
    public int SortIndex { get; set; }
}

/// <summary>The simulation that runs, and its copies or its rate.</summary>
public sealed class LoadSimulationStats
{
    public string SimulationName { get; set; } = "";
    public int Value { get; set; }
}

public sealed class ScenarioStats
{
    public string ScenarioName { get; set; } = "";

    /// <summary>Iterations, with the bytes of their steps.</summary>
    public MeasurementStats Ok { get; set; } = new();

    /// <inheritdoc cref="Ok"/>
    public MeasurementStats Fail { get; set; } = new();

    public StepStats[] StepStats { get; set; } = [];
    public LoadSimulationStats LoadSimulationStats { get; set; } = new();
    public OperationType CurrentOperation { get; set; }

    /// <summary>Iterations and steps together: an iteration of three steps counts four.</summary>
    public int AllRequestCount { get; set; }

    /// <inheritdoc cref="AllRequestCount"/>
    public int AllOkCount { get; set; }

    /// <inheritdoc cref="AllRequestCount"/>
    public int AllFailCount { get; set; }

    /// <summary>Bytes of the iterations, those of their steps included.</summary>
    public long AllBytes { get; set; }

    /// <summary>How long it really lasted.</summary>
    public TimeSpan Duration { get; set; }

    public int SortIndex { get; set; }

    public StepStats GetStepStats(string stepName) => FindStepStats(stepName)
        ?? throw new KeyNotFoundException($"Scenario '{ScenarioName}' has no step '{stepName}'.");

    public StepStats FindStepStats(string stepName) => StepStats.FirstOrDefault(step => step.StepName == stepName);
}

/// <summary>A report as it was written.</summary>
public sealed record ReportFile(string FilePath, ReportFormat ReportFormat, string ReportContent);

/// <summary>A threshold and how often it was missed.</summary>
public sealed record ThresholdResult
{
    public string ScenarioName { get; init; } = "";
    public string StepName { get; init; } = "";
    public string CheckExpression { get; init; } = "";

    /// <summary>Why it could not be checked; empty where it could.</summary>
    public string ExceptionMsg { get; init; } = "";

    /// <summary>How many checks failed, intervals and the final one.</summary>
    public int ErrorCount { get; init; }

    /// <summary>Whether any did.</summary>
    public bool IsFailed { get; init; }
}

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
    /// What the built-in engine measured: what never started, schedule lag, stalls, whether the generator was the limit, and whole
    /// histograms.
    /// </summary>
    public BuiltIn.LoadResult Measured { get; set; }

    public ScenarioStats GetScenarioStats(string scenarioName) => FindScenarioStats(scenarioName)
        ?? throw new KeyNotFoundException($"There is no scenario '{scenarioName}'.");

    public ScenarioStats FindScenarioStats(string scenarioName) =>
        ScenarioStats.FirstOrDefault(scenario => scenario.ScenarioName == scenarioName);
}

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

/// <summary>What a metric is.</summary>
public enum MetricType
{
    /// <summary>A value that rises and falls.</summary>
    Gauge = 1,
}

/// <summary>What was published of a metric.</summary>
public sealed class MetricStats
{
    public string Name { get; set; } = "";
    public string MeasureUnit { get; set; } = "";
    public MetricType MetricType { get; set; }
    public IReadOnlyList<MetricHistoryValue> History { get; set; } = [];
    public MetricPercentiles Percentiles { get; set; } = new();
}

/// <param name="Value">The value.</param>
/// <param name="Timestamp">From the beginning of the session.</param>
public sealed record MetricHistoryValue(double Value, TimeSpan Timestamp);

public sealed class MetricPercentiles
{
    public double Mean { get; set; }
    public double Max { get; set; }
    public double Percent50 { get; set; }
    public double Percent75 { get; set; }
    public double Percent95 { get; set; }
    public double Percent99 { get; set; }
}
