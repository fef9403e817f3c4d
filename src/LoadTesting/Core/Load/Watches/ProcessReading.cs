namespace LoadTesting.Core.Load.Watches;

/// <summary>Figures of a process, or of several together, at one moment.</summary>
internal sealed class ProcessReading(double cpuSeconds, bool isFine)
{
    public double CpuSeconds { get; set; } = cpuSeconds;

    /// <summary>
    /// Whether processor time comes from clocks instead of files, which count hundredths of a second.
    /// </summary>
    public bool IsFine { get; set; } = isFine;
    public long PrivateBytes { get; set; }
    public long SharedBytes { get; set; }

    /// <summary>
    /// Whether no process was added yet. Mapped files are counted only for the first, because all processes share them.
    /// </summary>
    public bool IsFirst { get; set; } = true;

    /// <summary>Time that each thread, without background work, has waited for a processor since its start.</summary>
    public Dictionary<(int Process, string Task), long> DelayNanoseconds { get; } = [];

    /// <summary>Processor time of each thread with <see cref="BackgroundWork"/> since its start.</summary>
    public Dictionary<(int Process, string Task), long> BackgroundNanoseconds { get; } = [];
}
