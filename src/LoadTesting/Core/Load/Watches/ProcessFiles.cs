namespace LoadTesting.Core.Load.Watches;

/// <summary>What the Linux kernel reports about processes (proc(5)).</summary>
/// <param name="root">Root of the file system, so that a test can lay out another one.</param>
/// <param name="clock">Reads a process's processor seconds more finely than the files have them; null where it cannot.</param>
internal sealed class ProcessFiles(string root, Func<int, double?> clock)
{
    // USER_HZ, which the kernel's interface has fixed at 100 on every architecture that .NET runs on.
    private const double TicksPerSecond = 100;
    private const int FirstTime = 11; // utime, counted from the field behind the name: stime, cutime and cstime follow.

    /// <summary>Those of this machine.</summary>
    public static ProcessFiles OfMachine { get; } = new("/", ProcessClock.CpuSeconds);

    /// <summary>Whether there is anything to read.</summary>
    public bool Exists => File.Exists(Path.Combine(root, "proc", "stat"));

    /// <summary>Processor seconds of the machine that were used, with stolen ones.</summary>
    public double MachineCpuSeconds() => MachineAndStolenCpuSeconds().Used;

    /// <summary>Processor seconds of the machine that were used, with stolen ones; and those the hypervisor gave to others.</summary>
    public (double Used, double Stolen) MachineAndStolenCpuSeconds()
    {
        // user nice system idle iowait irq softirq steal; guest time is already inside user.
        var ticks = File.ReadLines(Path.Combine(root, "proc", "stat")).First().Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Skip(1).Take(8).Select(Number).ToArray();
        return ((ticks.Sum() - ticks[3] - ticks[4]) / TicksPerSecond, ticks[7] / TicksPerSecond);
    }

    /// <summary>Processor seconds of a process and, where asked for, of those it started; null when it is gone.</summary>
    public double? CpuSeconds(int processId, bool withChildren) => Times(processId) is not { } own ? null
        : withChildren ? own.All + Children(processId).Sum(child => Times(child)?.All ?? 0)
        : own.Own;

    /// <summary>
    /// Seconds in which the threads of a process, and where asked for of those it started, were ready and waited for a processor. A thread
    /// that ends takes its own with it.
    /// </summary>
    public double RunDelaySeconds(int processId, bool withChildren) =>
        (withChildren ? Children(processId).Prepend(processId) : [processId])
            .Sum(process => Tasks(process).Sum(task => RunDelay(process, task) ?? 0)) / 1e9;

    /// <summary>A process and, where asked for, those it started; null when it is gone.</summary>
    public ProcessReading? Read(int processId, bool withChildren)
    {
        if (Times(processId) is not { } own)
        {
            return null;
        }

        // What children used that ended stands with their parent, so the sum never falls.
        var reading = new ProcessReading(withChildren ? own.All : own.Own, own.IsFine);
        AddMemoryAndDelays(processId, reading);
        foreach (var child in withChildren ? Children(processId) : [])
        {
            if (Times(child) is { } times)
            {
                reading.CpuSeconds += times.All;
                reading.IsFine &= times.IsFine;
                AddMemoryAndDelays(child, reading);
            }
        }

        return reading;
    }

    private (double Own, double All, bool IsFine)? Times(int processId)
    {
        // The name may hold spaces and parentheses; the last one ends it.
        var stat = Text($"{processId}/stat");
        if (stat?.LastIndexOf(')') is not ({ } end and > 0))
        {
            return null;
        }

        // Ended children have no clock: what they used stays known to a hundredth of a second.
        var ticks = stat[(end + 2)..].Split(' ').Skip(FirstTime).Take(4).Select(field => Number(field) / TicksPerSecond).ToArray();
        var fine = clock(processId);
        var own = fine ?? ticks[0] + ticks[1];
        return (own, own + ticks[2] + ticks[3], fine is not null);
    }

    private IEnumerable<int> Children(int processId) =>
        Tasks(processId)
            .SelectMany(task => (Text($"{processId}/task/{task}/children") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Select(id => int.Parse(id, CultureInfo.InvariantCulture)).ToList();

    private void AddMemoryAndDelays(int processId, ProcessReading reading)
    {
        foreach (var field in (Text($"{processId}/status") ?? "").Split('\n')
            .Select(line => line.Split((char[])[':', ' ', '\t'], StringSplitOptions.RemoveEmptyEntries)))
        {
            switch (field)
            {
                case ["RssAnon" or "RssFile", var kib, ..] when field[0] == "RssAnon" || reading.IsFirst:
                    reading.PrivateBytes += (long)Number(kib) * 1024;
                    break;
                case ["RssShmem", var kib, ..]:
                    reading.SharedBytes = Math.Max(reading.SharedBytes, (long)Number(kib) * 1024);
                    break;
            }
        }

        reading.IsFirst = false;
        foreach (var task in Tasks(processId))
        {
            if (RunDelay(processId, task) is { } delay)
            {
                reading.DelayNanoseconds[(processId, task)] = delay;
            }
        }
    }

    /// <summary>Nanoseconds; null where the kernel does not report it.</summary>
    private long? RunDelay(int processId, string task) =>
        Text($"{processId}/task/{task}/schedstat")?.Split(' ') is [_, var delay, ..] ? (long)Number(delay) : null;

    private List<string> Tasks(int processId)
    {
        try
        {
            return [.. Directory.EnumerateDirectories(Path.Combine(root, "proc", $"{processId}", "task"))
                .Select(path => Path.GetFileName(path))];
        }
        catch (Exception exception) when (IsGone(exception))
        {
            return [];
        }
    }

    private string? Text(string path)
    {
        try
        {
            return File.ReadAllText(Path.Combine(root, "proc", path));
        }
        catch (Exception exception) when (IsGone(exception))
        {
            return null;
        }
    }

    /// <summary>A process may end between any two looks at it, and another user's may not be looked at.</summary>
    private static bool IsGone(Exception exception) => exception is IOException or UnauthorizedAccessException;

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);
}

/// <summary>A process, or several together, at one moment.</summary>
internal sealed class ProcessReading(double cpuSeconds, bool isFine)
{
    public double CpuSeconds { get; set; } = cpuSeconds;

    /// <summary>Whether processor time was read from clocks, and not from files that count hundredths of a second.</summary>
    public bool IsFine { get; set; } = isFine;
    public long PrivateBytes { get; set; }
    public long SharedBytes { get; set; }

    /// <summary>Files are mapped by all processes of a kind alike: those of the first are counted.</summary>
    public bool IsFirst { get; set; } = true;

    /// <summary>Time that each thread has waited for a processor since it began.</summary>
    public Dictionary<(int Process, string Task), long> DelayNanoseconds { get; } = [];
}
