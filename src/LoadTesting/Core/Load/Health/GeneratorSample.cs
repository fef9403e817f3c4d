namespace LoadTesting.Core.Load.Health;

/// <summary>Measurements of the generator's own process during the load.</summary>
/// <param name="CpuShare">Processor time of the process / (real time x cores), 0 to 1.</param>
/// <param name="GcPauseShare">Garbage collection pauses / real time, 0 to 1.</param>
/// <param name="ThreadPoolQueueMax">Greatest number of work items waiting in the thread pool.</param>
/// <param name="JitterMaxMs">Greatest lateness of a 10 ms ticker on a dedicated thread.</param>
/// <param name="JitterP99Ms">99th percentile of that lateness.</param>
/// <param name="Ticks">Number of ticks.</param>
/// <param name="Cores">Cores that the process may use.</param>
/// <param name="Duration">Duration of the measurement.</param>
public sealed record GeneratorSample(
    double CpuShare,
    double GcPauseShare,
    long ThreadPoolQueueMax,
    double JitterMaxMs,
    double JitterP99Ms,
    long Ticks,
    int Cores,
    TimeSpan Duration)
{
    /// <summary>Total lateness of the ticks that were more than 50 ms late.</summary>
    public TimeSpan Stalled { get; init; }

    /// <summary>Waits of work items for a pool thread; one is queued every 10 ms.</summary>
    public LatencyHistogram PoolDelay { get; init; } = new();

    /// <summary>
    /// Share of each second, 0 to 1, that the consumer of events spent working; empty if not measured.
    /// </summary>
    public IReadOnlyList<double> ConsumerShares { get; init; } = [];
}
