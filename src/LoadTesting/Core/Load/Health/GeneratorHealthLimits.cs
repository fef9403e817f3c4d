namespace LoadTesting.Core.Load.Health;

/// <summary>
/// Limits beyond which the generator, not the system under test, counts as the bottleneck. Null disables a limit.
/// </summary>
public sealed record GeneratorHealthLimits
{
    /// <summary>All limits disabled.</summary>
    public static GeneratorHealthLimits None { get; } = new()
    {
        MaximumLagShareOfP99 = null,
        MaximumPoolDelayShare = null,
        MinimumAchievedRatio = null,
        MaximumDroppedShare = null,
        MaximumCpuShare = null,
        MaximumGcPauseShare = null,
        MaximumConsumerShare = null,
        MaximumJitterMs = null,
    };

    /// <summary>
    /// For a system under test in the generator's own process. Processor time, garbage collection and the thread pool
    /// are shared then and do not judge the generator. Schedule lag still does, without the part that waiting for a
    /// pool thread explains, which is the system's.
    /// </summary>
    public static GeneratorHealthLimits ForSystemInSameProcess { get; } = new()
    {
        SharesProcess = true,
        MaximumCpuShare = null,
        MaximumGcPauseShare = null,
    };

    /// <summary>
    /// Whether the system under test runs in the generator's process, so that a starved thread pool is its
    /// responsibility.
    /// </summary>
    public bool SharesProcess { get; init; }

    /// <summary>
    /// Schedule-lag p99 as a share of the response-time p99, 0 to 1. Default 0.25. See <see cref="LagFloorMs"/> and
    /// <see cref="MinimumSamplesInTail"/>.
    /// </summary>
    public double? MaximumLagShareOfP99 { get; init; } = 0.25;

    /// <summary>
    /// Samples needed beyond the judged percentile: with fewer beyond p99, p95 is judged, else p90, else none. Default
    /// 0: always p99. With 10, one or two stalls of the machine do not fail a load of a few hundred iterations.
    /// </summary>
    public int MinimumSamplesInTail { get; init; }

    /// <summary>
    /// 99th percentile of the wait for a pool thread as a share of the scenario's latency p99, 0 to 1. Every
    /// continuation of an iteration has this wait, and a closed load counts it as service time. Default 0.25. See
    /// <see cref="LagFloorMs"/> and <see cref="MinimumSamplesInTail"/>.
    /// </summary>
    public double? MaximumPoolDelayShare { get; init; } = 0.25;

    /// <summary>
    /// Schedule lag and pool waits below this, in milliseconds, never count against the generator: a thread pool cannot
    /// do better. Default 1.
    /// </summary>
    public double LagFloorMs { get; init; } = 1;

    /// <summary>Iterations started within the planned time / requested and not dropped, 0 to 1. Default 0.99.</summary>
    public double? MinimumAchievedRatio { get; init; } = 0.99;

    /// <summary>
    /// Share of arrivals that could not start, 0 to 1. Default 0.01. Arrivals after a stop do not count.
    /// </summary>
    public double? MaximumDroppedShare { get; init; } = 0.01;

    /// <summary>
    /// Shorter runs are not judged by processor time and pauses: in a run of 20 ms a single collection takes most of
    /// the time. Default 1 s.
    /// </summary>
    public TimeSpan ShareFloor { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Processor time of this process / (real time x cores), 0 to 1. Default 0.9.</summary>
    public double? MaximumCpuShare { get; init; } = 0.9;

    /// <summary>Garbage collection pauses / real time, 0 to 1. Default 0.05.</summary>
    public double? MaximumGcPauseShare { get; init; } = 0.05;

    /// <summary>
    /// Share of a second that the consumer of events may spend working, 0 to 1. Default 0.9: a saturated consumer reads
    /// late, and a late completion looks like a slow system. One second in a hundred may exceed it.
    /// </summary>
    public double? MaximumConsumerShare { get; init; } = 0.9;

    /// <summary>
    /// Greatest lateness of a 10 ms ticker on a dedicated thread, in milliseconds. Default 100. See
    /// <see cref="StallFloor"/>.
    /// </summary>
    public double? MaximumJitterMs { get; init; } = 100;

    /// <summary>
    /// Stalls of the ticker up to this share of the run, 0 to 1, do not count against it: a pause of 150 ms spoils a
    /// run of a second, but not the percentiles of an hour. Default 0.001, a tenth of the tail beyond p99.
    /// </summary>
    public double StallFloor { get; init; } = 0.001;

    /// <summary>
    /// The percentile that is judged: 99, 95 or 90; 0 if even the 90th has too few samples beyond it.
    /// </summary>
    internal int TailOf(long count) =>
        count == 0
            ? 0
            : Array.Find([99, 95, 90], percentile => count * (100 - percentile) >= 100L * MinimumSamplesInTail);
}
