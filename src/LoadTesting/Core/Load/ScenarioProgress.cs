namespace LoadTesting.Core.Load;

/// <summary>A scenario that runs, at the end of its last complete second.</summary>
public sealed record ScenarioProgress
{
    /// <summary>The full name.</summary>
    public required string Name { get; init; }

    /// <summary>Since its load began.</summary>
    public double ElapsedSeconds { get; init; }

    /// <summary>How long the load lasts; null where a number of iterations ends it.</summary>
    public double? PlannedSeconds { get; init; }

    /// <summary>Iterations of the whole load; null where a time ends it.</summary>
    public long? PlannedIterations { get; init; }

    /// <summary>Starts that the schedule asked for, per second of the last seconds; null in a closed load.</summary>
    public double? IntendedPerSecond { get; init; }

    public double StartedPerSecond { get; init; }

    public long Started { get; init; }

    public long Completed { get; init; }

    public long Failed { get; init; }

    /// <summary>Due, and not started.</summary>
    public long Dropped { get; init; }

    public long InFlight { get; init; }

    /// <summary>Median latency of what completed in the last second; null where nothing did.</summary>
    public double? P50Ms { get; init; }

    /// <summary>Its 95th percentile.</summary>
    public double? P95Ms { get; init; }

    /// <summary>99th percentile of how late iterations started; null in a closed load.</summary>
    public double? LagP99Ms { get; init; }

    /// <summary>Latencies of all that completed without failure; null before the first second is over.</summary>
    [JsonIgnore]
    public LatencyHistogram? Latency { get; init; }

    /// <summary>Seconds until the load is over: by the clock, else as many iterations as are left at the rate until now.</summary>
    public double? RemainingSeconds() =>
        PlannedSeconds is { } seconds ? Math.Max(0, seconds - ElapsedSeconds)
        : PlannedIterations is { } iterations && Completed + Failed is > 0 and var ended
            ? Math.Max(0, iterations - ended) * ElapsedSeconds / ended
        : null;
}
