namespace LoadTesting.Core.Load.Health;

/// <summary>
/// The figures of the load generator's health, as results have them. Null means not measured for this load model.
/// </summary>
public sealed record GeneratorResult
{
    public required GeneratorState Health { get; init; }

    /// <summary>Achieved rate over intended rate; 1 is on time.</summary>
    public double? AchievedRatio { get; init; }

    /// <summary>99th percentile of the time from intended to actual start, milliseconds.</summary>
    public double? ScheduleLagP99Ms { get; init; }

    /// <summary>The worst p99 of the lag, as a share of the p99 of the same scenario's response time.</summary>
    public double? ScheduleLagShare { get; init; }

    /// <summary>Operations that could not be started, without those due after the load was stopped.</summary>
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

    /// <summary>The worst of several; a figure that one of them lacks is null.</summary>
    internal static GeneratorResult WorstOf(IReadOnlyList<GeneratorResult> parts)
    {
        return new GeneratorResult
        {
            Health = parts.Max(part => part.Health),
            AchievedRatio = -Greatest(part => -part.AchievedRatio),
            ScheduleLagP99Ms = Greatest(part => part.ScheduleLagP99Ms),
            ScheduleLagShare = Greatest(part => part.ScheduleLagShare),
            Dropped = parts.Sum(part => part.Dropped),
            CpuShare = Greatest(part => part.CpuShare),
            GcPauseShare = Greatest(part => part.GcPauseShare),
            ThreadPoolQueueMax = (long?)Greatest(part => part.ThreadPoolQueueMax),
            JitterMaxMs = Greatest(part => part.JitterMaxMs),
            PoolDelayP99Ms = Greatest(part => part.PoolDelayP99Ms),
            Pool = (PoolState?)Greatest(part => (double?)part.Pool),
            StopReason = parts.Select(part => part.StopReason).FirstOrDefault(reason => reason is not null),
            Evidence = [.. parts.SelectMany(part => part.Evidence).Distinct()],
        };

        double? Greatest(Func<GeneratorResult, double?> member) =>
            parts.Any(part => member(part) is null) ? null : parts.Max(member);
    }
}
