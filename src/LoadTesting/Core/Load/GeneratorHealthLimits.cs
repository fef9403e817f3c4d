namespace LoadTesting.Core.Load;

/// <summary>From where on the generator, not the system under test, counts as what limited the run. Null switches one limit off.</summary>
public sealed record GeneratorHealthLimits
{
    /// <summary>All limits off: nothing is judged.</summary>
    public static GeneratorHealthLimits None { get; } = new()
    {
        MaximumLagShareOfP99 = null,
        MaximumLagShareOfP50 = null,
        MinimumAchievedRatio = null,
        MaximumDroppedShare = null,
        MaximumCpuShare = null,
        MaximumGcPauseShare = null,
        MaximumThreadPoolQueuePerCore = null,
        MaximumJitterMs = null,
    };

    /// <summary>
    /// For a system under test that lives in the generator's own process: processor time, garbage collection and the thread pool are then
    /// shared, and say nothing about the generator; how late it was still does.
    /// </summary>
    public static GeneratorHealthLimits ForSystemInSameProcess { get; } = new()
    {
        MaximumCpuShare = null,
        MaximumGcPauseShare = null,
        MaximumThreadPoolQueuePerCore = null,
    };

    /// <summary>
    /// Schedule-lag p99 as a share of the response-time p99, 0 to 1. Default 0.25. See <see cref="LagFloorMs"/> and <see cref="MinimumSamplesInTail"/>.
    /// </summary>
    public double? MaximumLagShareOfP99 { get; init; } = 0.25;

    /// <summary>
    /// Iterations that have to lie beyond the tail that is judged: where fewer lie beyond p99 it is p95, else p90, else none. Default 0: always p99. With 10,
    /// a stall or two of the machine do not condemn a load of a few hundred iterations.
    /// </summary>
    public int MinimumSamplesInTail { get; init; }

    /// <summary>Schedule-lag p50 as a share of the response-time p50, 0 to 1. Default 0.25. See <see cref="LagFloorMs"/>.</summary>
    public double? MaximumLagShareOfP50 { get; init; } = 0.25;

    /// <summary>Schedule lag below this is never held against the generator, in milliseconds: a thread pool cannot do better. Default 1.</summary>
    public double LagFloorMs { get; init; } = 1;

    /// <summary>Started within the planned time / asked for and not dropped, 0 to 1. Default 0.99.</summary>
    public double? MinimumAchievedRatio { get; init; } = 0.99;

    /// <summary>Share of arrivals that could not start, 0 to 1. Default 0.01. Those asked for after the run was stopped do not count.</summary>
    public double? MaximumDroppedShare { get; init; } = 0.01;

    /// <summary>
    /// Runs shorter than this are not judged by their shares of processor time and pauses: one collection is most of a 20 ms run and says
    /// nothing about a generator. Default 1 s.
    /// </summary>
    public TimeSpan ShareFloor { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Processor time of this process / (real time x cores), 0 to 1. Default 0.9.</summary>
    public double? MaximumCpuShare { get; init; } = 0.9;

    /// <summary>Garbage collection pauses / real time, 0 to 1. Default 0.05.</summary>
    public double? MaximumGcPauseShare { get; init; } = 0.05;

    /// <summary>Work items waiting in the thread pool in at least a tenth of the samples, for each core. Default 100.</summary>
    public double? MaximumThreadPoolQueuePerCore { get; init; } = 100;

    /// <summary>The most a 10 ms ticker on a thread of its own may be late, in milliseconds. Default 100. See <see cref="StallFloor"/>.</summary>
    public double? MaximumJitterMs { get; init; } = 100;

    /// <summary>
    /// Stalls of the ticker that take no more than this share of the run, 0 to 1, are not held against it: one pause of 150 ms spoils a run of a
    /// second, and not the percentiles of one of an hour. Default 0.001, a tenth of what lies beyond p99.
    /// </summary>
    public double StallFloor { get; init; } = 0.001;
}
