namespace LoadTesting.Core.Load.Watches;

/// <summary>Resources used by a process, or by several together.</summary>
/// <param name="CpuSeconds">Processor time, seconds. That of ended child processes is accurate to a hundredth.</param>
/// <param name="RunDelaySeconds">Time that ready threads waited for a processor, seconds; null if the kernel does not
/// report it.</param>
/// <param name="PeakMemoryBytes">Peak memory, bytes; shared memory counts once.</param>
public sealed record ProcessUsage(double CpuSeconds, double? RunDelaySeconds, long PeakMemoryBytes)
{
    /// <summary>
    /// The part of <see cref="CpuSeconds"/> used by threads that serve no operation: the optimising compiler, the
    /// threads of collector and finaliser, a server's writers and cleaners. <see cref="RunDelaySeconds"/> excludes
    /// their waits.
    /// </summary>
    public double BackgroundCpuSeconds { get; init; }

    /// <summary>Processor time of threads that may serve operations, seconds.</summary>
    public double OperationCpuSeconds => CpuSeconds - BackgroundCpuSeconds;

    /// <summary>The use since an earlier moment. The peak remains that of the whole time.</summary>
    public ProcessUsage Since(ProcessUsage earlier)
    {
        // Unknown earlier waits are zero: no thread had waited yet.
        return new(CpuSeconds - earlier.CpuSeconds, RunDelaySeconds - (earlier.RunDelaySeconds ?? 0), PeakMemoryBytes)
        {
            BackgroundCpuSeconds = BackgroundCpuSeconds - earlier.BackgroundCpuSeconds,
        };
    }

    /// <summary>
    /// The sum of two processes or of two periods, including the peaks. The waits are null if one of them is unknown.
    /// </summary>
    public ProcessUsage Plus(ProcessUsage other)
    {
        return new(CpuSeconds + other.CpuSeconds, RunDelaySeconds + other.RunDelaySeconds,
            PeakMemoryBytes + other.PeakMemoryBytes)
        {
            BackgroundCpuSeconds = BackgroundCpuSeconds + other.BackgroundCpuSeconds,
        };
    }
}
