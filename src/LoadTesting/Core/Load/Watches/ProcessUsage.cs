namespace LoadTesting.Core.Load.Watches;

/// <summary>What a process, or several together, used while they were watched.</summary>
/// <param name="CpuSeconds">Processor time, seconds, known to a hundredth.</param>
/// <param name="RunDelaySeconds">Time in which threads were ready to run and waited for a processor, seconds; null where the kernel does not tell.</param>
/// <param name="PeakMemoryBytes">Most memory seen, bytes; what processes share is counted once.</param>
public sealed record ProcessUsage(double CpuSeconds, double? RunDelaySeconds, long PeakMemoryBytes)
{
    /// <summary>Time in which threads ran or were ready to, seconds: what the processors were asked for, however much others left of them.</summary>
    public double ReadySeconds => CpuSeconds + (RunDelaySeconds ?? 0);
}
