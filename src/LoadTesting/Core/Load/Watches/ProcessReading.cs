namespace LoadTesting.Core.Load.Watches;

/// <summary>A process, or several together, at one moment.</summary>
internal sealed class ProcessReading(double cpuSeconds)
{
    public double CpuSeconds { get; set; } = cpuSeconds;

    public long PrivateBytes { get; set; }

    public long SharedBytes { get; set; }

    /// <summary>Files are mapped by all processes of a kind alike: those of the first are counted.</summary>
    public bool IsFirst { get; set; } = true;

    /// <summary>Time that each thread has waited for a processor since it began.</summary>
    public Dictionary<(int Process, string Task), long> DelayNanoseconds { get; } = [];
}
