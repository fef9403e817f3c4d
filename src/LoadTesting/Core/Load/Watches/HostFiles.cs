namespace LoadTesting.Core.Load.Watches;

/// <summary>Figures of the host from the Linux kernel; null on other systems.</summary>
/// <param name="root">Root of the file system, for tests.</param>
internal sealed class HostFiles(string root)
{
    // Control group version 1 writes "no limit" as a number near the maximum.
    private const long NoMemoryLimit = long.MaxValue / 2;

    public string? CpuModel => Field("proc/cpuinfo", "model name") ?? Field("proc/cpuinfo", "Model");
    public long? MemoryBytes =>
        Field("proc/meminfo", "MemTotal") is { } text && ParseLong(text.Split(' ')[0]) is { } kib ? kib * 1024 : null;
    public string? Kernel => FirstLine("proc/sys/kernel/osrelease");
    public string? BootId => Foundation.BootId.Read(root);

    public string? OsName => Lines("etc/os-release")
        .Where(line => line.StartsWith("PRETTY_NAME=", StringComparison.Ordinal))
        .Select(line => line["PRETTY_NAME=".Length..].Trim('"'))
        .FirstOrDefault();

    public IReadOnlyList<double>? LoadAverage
    {
        get
        {
            var values = (FirstLine("proc/loadavg") ?? "").Split(' ').Take(3).Select(ParseDouble).OfType<double>()
                .ToList();
            return values.Count == 3 ? values : null;
        }
    }

    public double? CpuLimitCores
    {
        get
        {
            if (FirstLine("sys/fs/cgroup/cpu.max")?.Split(' ') is [var quota, var period])
            {
                return Ratio(quota, period);
            }

            var quotaV1 = FirstLine("sys/fs/cgroup/cpu/cpu.cfs_quota_us");
            var periodV1 = FirstLine("sys/fs/cgroup/cpu/cpu.cfs_period_us");
            return Ratio(quotaV1, periodV1);
        }
    }

    public long? MemoryLimitBytes
    {
        get
        {
            var text = FirstLine("sys/fs/cgroup/memory.max") ?? FirstLine("sys/fs/cgroup/memory/memory.limit_in_bytes");
            return ParseLong(text) is { } bytes and < NoMemoryLimit ? bytes : null;
        }
    }

    /// <summary>Processor time since boot, in clock ticks: total, and stolen by the hypervisor.</summary>
    public (double Total, double Steal)? CpuTime
    {
        get
        {
            // user nice system idle iowait irq softirq steal; guest time is already inside user (proc_stat(5)).
            var values = (FirstLine("proc/stat") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1)
                .Take(8)
                .Select(ParseDouble).OfType<double>().ToList();
            return values.Count == 8 ? (values.Sum(), values[7]) : null;
        }
    }

    /// <summary>
    /// Time that the control group of this process was throttled, summed over processors. Uses the process's group if
    /// the file system shows it, otherwise the root group, which in a container is the container's.
    /// </summary>
    public TimeSpan? ThrottledTime
    {
        get
        {
            var unified = Lines("proc/self/cgroup")
                .FirstOrDefault(line => line.StartsWith("0::/", StringComparison.Ordinal))?["0::/".Length..];
            string[] files =
                [$"sys/fs/cgroup/{unified}/cpu.stat", "sys/fs/cgroup/cpu.stat", "sys/fs/cgroup/cpu/cpu.stat"];
            foreach (var fields in files.Select(file =>
                Lines(file).Select(line => line.Split(' ')).Where(parts => parts.Length == 2)
                    .ToDictionary(p => p[0], p => p[1])))
            {
                // Version 2 counts microseconds, version 1 nanoseconds.
                var ticks = ParseLong(fields.GetValueOrDefault("throttled_usec")) * TimeSpan.TicksPerMicrosecond
                    ?? ParseLong(fields.GetValueOrDefault("throttled_time")) / TimeSpan.NanosecondsPerTick;
                if (ticks is { } known)
                {
                    return TimeSpan.FromTicks(known);
                }
            }

            return null;
        }
    }

    /// <summary>
    /// Share of the processor time between two readings that the hypervisor gave to others; null if a reading is
    /// missing or they are the same.
    /// </summary>
    public static double? StealShare((double Total, double Steal)? earlier, (double Total, double Steal)? later) =>
        earlier is { } before && later is { } now && now.Total > before.Total
            ? Math.Clamp((now.Steal - before.Steal) / (now.Total - before.Total), 0, 1)
            : null;

    private static double? Ratio(string? quota, string? period) =>
        ParseDouble(quota) is { } q and > 0 && ParseDouble(period) is { } p and > 0 ? q / p : null;

    private static long? ParseLong(string? text) =>
        long.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out var value) ? value : null;

    private static double? ParseDouble(string? text) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value) ? value : null;

    private string? Field(string path, string name) => Lines(path)
        .Select(line => line.Split(':', 2))
        .Where(parts => parts.Length == 2 && parts[0].Trim() == name)
        .Select(parts => parts[1].Trim())
        .FirstOrDefault();

    private string? FirstLine(string path) =>
        Lines(path).FirstOrDefault()?.Trim() is { Length: > 0 } line ? line : null;

    private IEnumerable<string> Lines(string path)
    {
        var full = Path.Combine(root, path);
        return File.Exists(full) ? File.ReadLines(full) : [];
    }
}
