namespace LoadTesting.Contracts.Stats;

/// <summary>What a metric is.</summary>
public enum MetricType
{
    /// <summary>A value that rises and falls.</summary>
    Gauge = 1,
}
