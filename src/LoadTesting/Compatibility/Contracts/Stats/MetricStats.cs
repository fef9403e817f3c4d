namespace LoadTesting.Contracts.Stats;

/// <summary>What was published of a metric.</summary>
public sealed class MetricStats
{
    public string Name { get; set; } = "";
    public string MeasureUnit { get; set; } = "";
    public MetricType MetricType { get; set; }
    public IReadOnlyList<MetricHistoryValue> History { get; set; } = [];
    public MetricPercentiles Percentiles { get; set; } = new();
}
