using System.Data;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;

namespace LoadTesting.Running;

/// <summary>Metrics that were registered, with what was published of them.</summary>
internal sealed class Metrics(TimeProvider timeProvider) : IMetricsProvider
{
    private const int LongestHistory = 10_000;

    private readonly Dictionary<string, (string Unit, MetricType Type, List<MetricHistoryValue> History)> _metrics = [];
    private readonly Lock _gate = new();
    private readonly long _start = timeProvider.GetTimestamp();

    public void RegisterMetric(string metricName, string measureUnit, double scalingFraction, MetricType metricType)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(metricName);
        lock (_gate)
        {
            _metrics.TryAdd(metricName, (measureUnit, metricType, []));
        }
    }

    public void PublishMetric(string metricName, double value)
    {
        lock (_gate)
        {
            if (!_metrics.TryGetValue(metricName ?? "", out var metric))
            {
                throw new ArgumentException(
                    $"The metric '{metricName}' is not registered; call RegisterMetric first.", nameof(metricName));
            }

            if (metric.History.Count == LongestHistory)
            {
                var index = 0;
                metric.History.RemoveAll(_ => index++ % 2 == 1);
            }

            metric.History.Add(new MetricHistoryValue(value, timeProvider.GetElapsedTime(_start)));
        }
    }

    public IReadOnlyList<MetricStats> ToStats()
    {
        lock (_gate)
        {
            return [.. _metrics.Where(metric => metric.Value.History.Count > 0).Select(metric => new MetricStats
            {
                Name = metric.Key,
                MeasureUnit = metric.Value.Unit,
                MetricType = metric.Value.Type,
                History = [.. metric.Value.History],
                Percentiles = PercentilesOf([.. metric.Value.History.Select(entry => entry.Value).Order()]),
            })];
        }
    }

    /// <summary>A table for the reports; null if nothing was published.</summary>
    public DataSet ToTable()
    {
        var stats = ToStats();
        if (stats.Count == 0)
        {
            return null;
        }

        var table = new DataTable("metrics") { Locale = CultureInfo.InvariantCulture };
        table.Columns.AddRange([.. new[] { "metric", "unit", "mean", "50%", "75%", "95%", "99%", "max" }
            .Select(name => new DataColumn(name, typeof(string)))]);
        foreach (var metric in stats)
        {
            var p = metric.Percentiles;
            table.Rows.Add(
                [metric.Name, metric.MeasureUnit,
                    .. new[] { p.Mean, p.Percent50, p.Percent75, p.Percent95, p.Percent99, p.Max }
                .Select(value => value.ToString("0.##", CultureInfo.InvariantCulture))]);
        }

        var set = new DataSet { Locale = CultureInfo.InvariantCulture };
        set.Tables.Add(table);
        return set;
    }

    private static MetricPercentiles PercentilesOf(double[] sorted)
    {
        double At(double percent) =>
            sorted[Math.Clamp((int)Math.Ceiling(sorted.Length * percent / 100) - 1, 0, sorted.Length - 1)];
        return new MetricPercentiles
        {
            Mean = sorted.Average(),
            Max = sorted[^1],
            Percent50 = At(50),
            Percent75 = At(75),
            Percent95 = At(95),
            Percent99 = At(99),
        };
    }
}
