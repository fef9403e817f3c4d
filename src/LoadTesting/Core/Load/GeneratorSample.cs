namespace LoadTesting.Core.Load;

/// <summary>What was seen of the generator's own process while the load ran.</summary>
/// <param name="CpuShare">Processor time of the process / (real time x cores), 0 to 1.</param>
/// <param name="GcPauseShare">Garbage collection pauses / real time, 0 to 1.</param>
/// <param name="ThreadPoolQueueMax">Most work items seen waiting in the thread pool.</param>
/// <param name="ThreadPoolQueueP90">Work items that waited in a tenth of the samples.</param>
/// <param name="ThreadPoolThreadsMax">Most thread-pool threads seen.</param>
/// <param name="JitterMaxMs">The most a 10 ms ticker on its own thread was late.</param>
/// <param name="JitterP99Ms">How late it was in a hundredth of its ticks.</param>
/// <param name="Ticks">How often it ticked.</param>
/// <param name="Cores">Cores that the process may use.</param>
/// <param name="Duration">How long it was watched.</param>
public sealed record GeneratorSample(
    double CpuShare,
    double GcPauseShare,
    long ThreadPoolQueueMax,
    long ThreadPoolQueueP90,
    int ThreadPoolThreadsMax,
    double JitterMaxMs,
    double JitterP99Ms,
    long Ticks,
    int Cores,
    TimeSpan Duration)
{
    /// <summary>How late the ticks were, in all, that came more than 50 ms late.</summary>
    public TimeSpan Stalled { get; init; }
}
