using Foundation;

namespace LoadTesting.Tool.Doctor;

/// <summary>What makes a machine fit to measure on, apart from how it is found out.</summary>
internal static class MachineRules
{
    private const long Mebibyte = 1 << 20;

    // Enough for a hundred connections at both ends, the assemblies, and a server's files.
    private const long FewOpenFiles = 4096;
    private const long TooFewOpenFiles = 1024;

    // A PostgreSQL data directory with its WAL takes 2 GiB at the settings of the suite.
    private const long LittleDiskBytes = 4096 * Mebibyte;
    private const long TooLittleDiskBytes = 1024 * Mebibyte;

    private const double SlowClockNs = 1000;

    // Read in user space, without a system call: https://docs.kernel.org/timers/timekeeping.html
    private static readonly string[] FastClocks =
        ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"];

    public static DoctorLine Sdk(string? version)
    {
        const string Fix = "Install the .NET 10 SDK: https://dotnet.microsoft.com/download";
        return version?.Trim() is not { Length: > 0 } found
            ? new("SDK", DoctorState.Failure, "'dotnet --version' gives no answer here", Fix)
            : Major(found) < 10 ? new("SDK", DoctorState.Failure, $"{found}, older than 10", Fix)
            : new("SDK", DoctorState.Ok, found);
    }

    /// <param name="cores">Logical processors that the process may use.</param>
    /// <param name="limit">Processor limit of the control group in cores; null without one.</param>
    public static DoctorLine Cores(int cores, double? limit)
    {
        var usable = Math.Min(cores, limit ?? cores);
        var found = limit is { } most && most < cores
            ? $"{cores}, limited to {Number(most)} by the control group" : Number(cores);
        return usable switch
        {
            < 2 => new("Cores", DoctorState.Failure, found,
                "Use at least 2 cores: with one, generator and backend take turns, and the times measure that."),
            < 4 => new("Cores", DoctorState.Warning, found,
                "Use 4 or more for times worth comparing: generator, service and backend share these. "
                    + "Counted costs are exact anyway."),
            _ => new("Cores", DoctorState.Ok, found),
        };
    }

    /// <param name="limits">Text of <c>/proc/self/limits</c>; null where there is none.</param>
    public static DoctorLine OpenFiles(string? limits)
    {
        // Name, soft limit, hard limit, unit. The runtime raises the soft limit to the hard one.
        var hard =
            limits?.Split('\n').FirstOrDefault(line => line.StartsWith("Max open files", StringComparison.Ordinal))?
            .Split(' ', StringSplitOptions.RemoveEmptyEntries).ElementAtOrDefault(4);
        const string Fix =
            "Raise it: 'ulimit -Hn 65536' as root, nofile in /etc/security/limits.conf, "
                + "or docker run --ulimit nofile=65536.";
        if (hard is null or "unlimited")
        {
            return new("Open files", DoctorState.Ok, hard ?? "the platform does not report it");
        }

        if (!long.TryParse(hard, NumberStyles.None, CultureInfo.InvariantCulture, out var count))
        {
            return new(
                "Open files", DoctorState.Warning, $"the limit '{hard}' cannot be read", "Check 'ulimit -Hn'.");
        }

        var state =
            count < TooFewOpenFiles ? DoctorState.Failure : count < FewOpenFiles ? DoctorState.Warning : DoctorState.Ok;
        return new("Open files", state, $"at most {hard}", state == DoctorState.Ok ? null : Fix);
    }

    /// <param name="source">The kernel's clock source; null where it does not report one.</param>
    /// <param name="readNs">Measured cost of one reading of the monotonic clock, nanoseconds.</param>
    public static DoctorLine Clock(string? source, double readNs)
    {
        var found = $"{source ?? "source unknown"}, {readNs.ToString("0", CultureInfo.InvariantCulture)} ns a reading";
        return readNs > SlowClockNs || source is not null && !FastClocks.Contains(source)
            ? new("Clock", DoctorState.Warning, found,
                $"Choose a source that is read in user space ({string.Join(", ", FastClocks)}): " +
                "see available_clocksource in /sys/devices/system/clocksource/clocksource0.")
            : new("Clock", DoctorState.Ok, found);
    }

    public static DoctorLine Disk(string path, long freeBytes)
    {
        var found = $"{freeBytes / Mebibyte:#,0} MiB free at {path}";
        const string Fix =
            "Free some, or choose another place: WORKFLOW_PERF_RESULTS for results, "
                + "TMPDIR for servers started by the suite.";
        return freeBytes switch
        {
            < TooLittleDiskBytes => new("Disk", DoctorState.Failure, found, Fix),
            < LittleDiskBytes => new("Disk", DoctorState.Warning, found, Fix),
            _ => new("Disk", DoctorState.Ok, found),
        };
    }

    /// <param name="type">Of the file system, as the kernel has it.</param>
    public static DoctorLine ServerData(string path, string type) => FileSystems.IsInMemory(type)
        ? new("Server data",
            DoctorState.Warning, $"servers started by the suite keep their data in memory ({type} at {path}), so that "
            + "a commit forces nothing to a disk; they are reported as not durable",
            "Set TMPDIR to a directory on a disk.")
        : new("Server data", DoctorState.Ok, $"{type} at {path}");

    private static int Major(string version) =>
        int.TryParse(version.Split('.')[0], NumberStyles.None, CultureInfo.InvariantCulture, out var major) ? major : 0;

    private static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);
}
