namespace LoadTesting.Core.Results;

/// <summary>Health of the load generator during a scenario. Null means not measured for this load model.</summary>
public sealed record GeneratorResult
{
    public required GeneratorState Health { get; init; }

    /// <summary>Achieved rate over intended rate; 1 is on time.</summary>
    public double? AchievedRatio { get; init; }

    /// <summary>99th percentile of the time from intended to actual start, milliseconds.</summary>
    public double? ScheduleLagP99Ms { get; init; }

    /// <summary>Share of the mean response time, 0 to 1, that is schedule lag.</summary>
    public double? ScheduleLagShare { get; init; }

    /// <summary>Operations that could not be started.</summary>
    public long Dropped { get; init; }

    /// <summary>Processor time of the generator's process per second and core, 0 to 1.</summary>
    public double? CpuShare { get; init; }

    /// <summary>Share of time, 0 to 1, in which the collector had stopped the process.</summary>
    public double? GcPauseShare { get; init; }

    /// <summary>Longest queue of the thread pool, work items.</summary>
    public long? ThreadPoolQueueMax { get; init; }

    /// <summary>Greatest lateness of the generator's own ticker, milliseconds.</summary>
    public double? JitterMaxMs { get; init; }

    /// <summary>
    /// 99th percentile of the time that a work item waited for a thread of the generator's thread pool, milliseconds;
    /// null if that was not measured.
    /// </summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>
    /// Whether the pool's delay was long against the operations: the system's doing in its own process, the generator's
    /// over HTTP. Null if that was not measured.
    /// </summary>
    public PoolState? Pool { get; init; }

    /// <summary>Why the load ended before its time; null if it did not.</summary>
    public string? StopReason { get; init; }

    /// <summary>What led to the finding, a sentence each with value and limit.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];
}
