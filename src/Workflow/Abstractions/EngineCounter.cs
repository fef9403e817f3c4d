namespace Workflow.Abstractions;

/// <summary>One figure of <see cref="EngineStatistics"/>.</summary>
/// <param name="Metric">Its name as a Prometheus metric.</param>
/// <param name="Help">What it counts, for people.</param>
/// <param name="Read">
/// Its value; null where these statistics have none, e.g. a node's where one engine owns the store alone.
/// </param>
/// <param name="With">The statistics with another value.</param>
public sealed record EngineCounter(
    string Metric, CounterKind Kind, string Help,
    Func<EngineStatistics, double?> Read, Func<EngineStatistics, double, EngineStatistics> With)
{
    /// <summary>
    /// Its name as an instrument of the meter <c>Workflow.Engine</c>, e.g. <c>workflow.failed_flushes</c>: what exports
    /// that to Prometheus makes <see cref="Metric"/> of it.
    /// </summary>
    public string Instrument { get; } =
        "workflow." + (Kind == CounterKind.Counter ? Metric[..^"_total".Length] : Metric)["workflow_".Length..];
}
