namespace NBomber.Contracts.Stats;

internal enum ReportFormat
{
    Txt = 0,
    Html = 1,
    Csv = 2,
    Md = 3,
}

internal sealed class NodeStats
{
    public ScenarioStats[] ScenarioStats { get; set; } = [];

    public NodeInfo NodeInfo { get; set; } = new();
}

internal sealed class NodeInfo
{
    public string NBomberVersion { get; set; } = "";
}

internal sealed class ScenarioStats
{
    public string ScenarioName { get; set; } = "";

    public MeasurementStats Ok { get; set; } = new();

    public MeasurementStats Fail { get; set; } = new();

    public StepStats[] StepStats { get; set; } = [];
}

internal sealed class StepStats
{
    public string StepName { get; set; } = "";

    public MeasurementStats Ok { get; set; } = new();

    public MeasurementStats Fail { get; set; } = new();
}

internal sealed class MeasurementStats
{
    public RequestStats Request { get; set; } = new();

    public LatencyStats Latency { get; set; } = new();
}

internal sealed class RequestStats
{
    public int Count { get; set; }
}

internal sealed class LatencyStats
{
    public double Percent50 { get; set; }

    public double Percent99 { get; set; }
}
