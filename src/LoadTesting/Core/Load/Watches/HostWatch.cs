namespace LoadTesting.Core.Load.Watches;

/// <summary>Measures the processor time that hypervisor and control group withhold during a load.</summary>
public sealed class HostWatch
{
    private readonly HostFiles _host;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly (double Total, double Steal)? _cpu;
    private readonly TimeSpan? _throttled;

    private HostWatch(HostFiles host)
    {
        _host = host;
        _cpu = host.CpuTime;
        _throttled = host.ThrottledTime;
    }

    public static HostWatch Start() => Start("/");

    internal static HostWatch Start(string root) => new(new HostFiles(root));

    /// <summary>Reads the values since the start. The kernel counts stolen time in hundredths of a second.</summary>
    public HostSample Read() => Read(Stopwatch.GetElapsedTime(_start));

    internal HostSample Read(TimeSpan duration) => new(
        HostFiles.StealShare(_cpu, _host.CpuTime),
        _throttled is { } before && _host.ThrottledTime is { } now && now >= before && duration > TimeSpan.Zero
            ? (now - before) / duration
            : null,
        duration);
}
