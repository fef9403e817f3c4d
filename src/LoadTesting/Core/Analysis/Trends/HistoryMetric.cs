namespace LoadTesting.Core.Analysis.Trends;

/// <summary>A metric of the history.</summary>
/// <param name="Name">As in the result: <c>throughput</c>, <c>latency p95</c>, <c>start p50</c>, <c>commits per
/// operation</c>.</param>
/// <param name="Unit">Unit of its values; null for a count.</param>
/// <param name="HigherIsBetter">Whether more is better; else less is.</param>
public sealed record HistoryMetric(string Name, string? Unit, bool HigherIsBetter)
{
    /// <summary>The metric that every result has.</summary>
    internal const string Throughput = "throughput";

    /// <summary>The limit that a search for the capacity found.</summary>
    internal static HistoryMetric Capacity { get; } = new("capacity", "/s", HigherIsBetter: true);

    /// <summary>
    /// Samples that a median needs; a higher percentile needs ten beyond it, so that one outlier does not move it.
    /// </summary>
    private const long MinSamples = 10;

    /// <summary>The metrics of a result, in reading order.</summary>
    internal static IEnumerable<(HistoryMetric Metric, double Value)> Of(ScenarioResult scenario)
    {
        yield return (new(Throughput, "/s", HigherIsBetter: true), scenario.ThroughputPerSecond);
        var phases = scenario.Phases.OrderBy(phase => phase.Key, StringComparer.Ordinal);
        foreach (var (name, latency) in phases.Prepend(new("latency", scenario.Latency)))
        {
            foreach (var (percentile, value) in new[] { (50, latency.P50Ms), (95, latency.P95Ms), (99, latency.P99Ms) })
            {
                if (value is { } known && latency.N * (100 - percentile) >= 100 * MinSamples)
                {
                    yield return (new($"{name} p{percentile}", "ms", HigherIsBetter: false), known);
                }
            }
        }

        var costs = scenario.Backend?.PerOperation ?? new Dictionary<string, double?>();
        foreach (var (name, value) in costs.OrderBy(cost => cost.Key, StringComparer.Ordinal))
        {
            if (value is { } known)
            {
                yield return (new($"{name} per operation", null, HigherIsBetter: false), known);
            }
        }
    }
}
