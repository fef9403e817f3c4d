using LoadTesting.Core.Load.Watches;

namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// What the rules go by: plain numbers over the measured part, from whatever measured them. Null means not measured; the reason then belongs in
/// <see cref="NotMeasured"/>.
/// </summary>
public sealed record FindingInputs
{
    /// <summary>Operations that completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Length of the measured part, seconds.</summary>
    public required double DurationSeconds { get; init; }

    /// <summary>
    /// Mean response time of an operation, seconds, without what the generator itself makes it wait for, such as the rest of its wave; null when
    /// none completed.
    /// </summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>Processors that the processes may use.</summary>
    public int Cores { get; init; } = Environment.ProcessorCount;

    /// <summary>The process of the system under test; the generator's when the two are one.</summary>
    public ProcessUsage? Service { get; init; }

    /// <summary>The backend's processes together.</summary>
    public ProcessUsage? Database { get; init; }

    /// <summary>Processor seconds that the whole machine used, with those that the hypervisor gave to others.</summary>
    public double? MachineCpuSeconds { get; init; }

    /// <summary>Processor seconds of the generator, when it has a process of its own.</summary>
    public double GeneratorCpuSeconds { get; init; }

    /// <summary>What the backend's sessions waited for; empty is idle, null is not sampled.</summary>
    public IReadOnlyList<WaitTime>? Waits { get; init; }

    /// <summary>Moments that <see cref="Waits"/> is from.</summary>
    public int WaitSamples { get; init; }

    /// <summary>Seconds the backend spent forcing its log to the disk.</summary>
    public double? WalSyncSeconds { get; init; }

    /// <summary>The pool that the system under test takes its connections from.</summary>
    public ConnectionPoolUse? Pool { get; init; }

    /// <summary>Mean time that work waited inside the service for its own workers, seconds per operation.</summary>
    public double? QueueWaitSeconds { get; init; }

    /// <summary>Share of time, 0 to 1, in which garbage collection had stopped the service.</summary>
    public double? GcPauseShare { get; init; }

    /// <summary>Mean lateness of the generator, intended to actual start, seconds per operation; null in a closed model, which intends nothing.</summary>
    public double? ScheduleLagSeconds { get; init; }

    /// <summary>What the generator's health check holds against it, a sentence each; empty when it is healthy, null when it was not watched.</summary>
    public IReadOnlyList<string>? GeneratorEvidence { get; init; }

    /// <summary>Why a resource could not be measured, by its name of <see cref="ResourceNames"/>.</summary>
    public IReadOnlyDictionary<string, string> NotMeasured { get; init; } = new Dictionary<string, string>();
}
