namespace NBomber.Contracts.Stats;

public enum ReportFormat
{
    Txt = 0,
    Html = 1,
    Csv = 2,
    Md = 3,
}

public sealed class NodeStats
{
    public ScenarioStats[] ScenarioStats { get; set; } = [];

    public NodeInfo NodeInfo { get; set; } = new();
}

public sealed class NodeInfo
{
    public string NBomberVersion { get; set; } = "";
}

public sealed class ScenarioStats
{
    public string ScenarioName { get; set; } = "";

    public MeasurementStats Ok { get; set; } = new();

    public MeasurementStats Fail { get; set; } = new();

    public StepStats[] StepStats { get; set; } = [];
}

public sealed class StepStats
{
    public string StepName { get; set; } = "";

    public MeasurementStats Ok { get; set; } = new();

    public MeasurementStats Fail { get; set; } = new();
}

public sealed class MeasurementStats
{
    public RequestStats Request { get; set; } = new();

    public LatencyStats Latency { get; set; } = new();
}

public sealed class RequestStats
{
    public int Count { get; set; }
}

public sealed class LatencyStats
{
    public double Percent50 { get; set; }

    public double Percent99 { get; set; }
}
