namespace LoadTesting.Core.Load.Live;

/// <summary>
/// A running scenario at the end of its last complete second, or the whole load of one that has ended.
/// </summary>
public sealed record ScenarioProgress
{
    /// <summary>The full name.</summary>
    public required string Name { get; init; }

    /// <summary>Seconds since its load began.</summary>
    public double ElapsedSeconds { get; init; }

    /// <summary>Planned duration of the load; null if it ends after a number of iterations.</summary>
    public double? PlannedSeconds { get; init; }

    /// <summary>Iterations of the whole load; null if it ends after a time.</summary>
    public long? PlannedIterations { get; init; }

    /// <summary>Intended starts per second, over the last seconds; null in a closed load.</summary>
    public double? IntendedPerSecond { get; init; }

    public double StartedPerSecond { get; init; }

    public long Started { get; init; }

    public long Completed { get; init; }

    public long Failed { get; init; }

    /// <summary>Iterations that were due and did not start.</summary>
    public long Dropped { get; init; }

    public long InFlight { get; init; }

    /// <summary>Median latency of the last second; null if nothing completed.</summary>
    public double? P50Ms { get; init; }

    /// <summary>95th percentile of latency in the last second.</summary>
    public double? P95Ms { get; init; }

    /// <summary>99th percentile of schedule lag; null in a closed load.</summary>
    public double? LagP99Ms { get; init; }

    /// <summary>Latencies of all successful iterations; null before the first second is over.</summary>
    [JsonIgnore]
    public LatencyHistogram? Latency { get; init; }

    /// <summary>All of the load so far.</summary>
    internal LoadCounts Counts { get; init; } = LoadCounts.None;

    /// <summary>
    /// Latencies of the iterations that completed in the last second; null before the first second is over.
    /// </summary>
    internal LatencyHistogram? LastLatency { get; init; }

    /// <summary>
    /// Schedule lag of the iterations that ended in the last second; null before the first second is over.
    /// </summary>
    internal LatencyHistogram? LastLag { get; init; }

    /// <summary>
    /// Seconds until the end of the load: by its planned duration, or from the remaining iterations at the rate so far.
    /// </summary>
    public double? RemainingSeconds() =>
        PlannedSeconds is { } seconds ? Math.Max(0, seconds - ElapsedSeconds)
        : PlannedIterations is { } iterations && Completed + Failed is > 0 and var ended
            ? Math.Max(0, iterations - ended) * ElapsedSeconds / ended
        : null;
}
