using LoadTesting.Contracts.Stats;

namespace LoadTesting.Contracts;

/// <summary>Takes values of metrics that are not latencies; the reports have a table of them.</summary>
public interface IMetricsProvider
{
    /// <param name="metricName">Unique.</param>
    /// <param name="measureUnit">Its unit; may be empty.</param>
    /// <param name="scalingFraction">Has no effect: values are kept as they are.</param>
    /// <param name="metricType">What it is.</param>
    void RegisterMetric(string metricName, string measureUnit, double scalingFraction, MetricType metricType);

    /// <exception cref="ArgumentException">The metric was not registered.</exception>
    void PublishMetric(string metricName, double value);
}
