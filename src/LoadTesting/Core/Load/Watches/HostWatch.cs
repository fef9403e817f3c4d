namespace LoadTesting.Core.Load.Watches;

/// <summary>Reads at the beginning and the end of a load what hypervisor and control group took from it.</summary>
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

    /// <summary>What was taken since the start. The kernel counts stolen time in hundredths of a second.</summary>
    public HostSample Read() => Read(Stopwatch.GetElapsedTime(_start));

    internal HostSample Read(TimeSpan duration) => new(
        HostFiles.StealShare(_cpu, _host.CpuTime),
        _throttled is { } before && _host.ThrottledTime is { } now && now >= before && duration > TimeSpan.Zero
            ? (now - before) / duration
            : null,
        duration);
}

/// <summary>What was taken from the machine while it was watched.</summary>
/// <param name="StealShare">Share of processor time, 0 to 1, that the hypervisor gave to others; null where the kernel does not report
/// it.</param>
/// <param name="ThrottledShare">Share of real time, 0 to 1 and more with several processors, for which the control group was throttled;
/// null where it is not reported.</param>
/// <param name="Duration">How long it was watched.</param>
public sealed record HostSample(double? StealShare, double? ThrottledShare, TimeSpan Duration);
