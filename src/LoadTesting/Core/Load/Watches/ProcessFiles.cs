namespace LoadTesting.Core.Load.Watches;

/// <summary>Figures of processes from the Linux kernel (proc(5)).</summary>
/// <param name="root">Root of the file system, for tests.</param>
/// <param name="clock">Reads a process's processor seconds with higher resolution than the files; returns null if it
/// cannot.</param>
internal sealed class ProcessFiles(string root, Func<int, double?> clock)
{
    // USER_HZ, which the kernel's interface has fixed at 100 on every architecture that .NET runs on.
    private const double TicksPerSecond = 100;
    private const int FirstTime = 11; // utime, counted from the field behind the name: stime, cutime and cstime follow.

    /// <summary>The processes of this machine.</summary>
    public static ProcessFiles OfMachine { get; } = new("/", ProcessClock.CpuSeconds);

    /// <summary>Whether the kernel provides figures.</summary>
    public bool Exists => File.Exists(Path.Combine(root, "proc", "stat"));

    /// <summary>Used processor seconds of the machine, including stolen ones.</summary>
    public double MachineCpuSeconds() => MachineAndStolenCpuSeconds().Used;

    /// <summary>
    /// Used processor seconds of the machine, including stolen ones; and those that the hypervisor gave to others.
    /// </summary>
    public (double Used, double Stolen) MachineAndStolenCpuSeconds()
    {
        // user nice system idle iowait irq softirq steal; guest time is already inside user.
        var ticks = File.ReadLines(Path.Combine(root, "proc", "stat")).First()
            .Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Skip(1).Take(8).Select(Number).ToArray();
        return ((ticks.Sum() - ticks[3] - ticks[4]) / TicksPerSecond, ticks[7] / TicksPerSecond);
    }

    /// <summary>Processor seconds of a process, optionally with its child processes; null if it has ended.</summary>
    public double? CpuSeconds(int processId, bool withChildren) => Times(processId) is not { } own ? null
        : withChildren ? own.All + Children(processId).Sum(child => Times(child)?.All ?? 0)
        : own.Own;

    /// <summary>
    /// Seconds that ready threads of a process, optionally with its child processes, waited for a processor. Waits of
    /// ended threads are lost.
    /// </summary>
    public double RunDelaySeconds(int processId, bool withChildren) =>
        (withChildren ? Children(processId).Prepend(processId) : [processId])
            .Sum(process => Tasks(process).Sum(task => RunDelay(process, task) ?? 0)) / 1e9;

    /// <summary>Figures of a process, optionally with its child processes; null if it has ended.</summary>
    public ProcessReading? Read(int processId, bool withChildren)
    {
        if (Times(processId) is not { } own)
        {
            return null;
        }

        // The parent includes the use of ended children, so that the sum never decreases.
        var reading = new ProcessReading(withChildren ? own.All : own.Own, own.IsFine);
        AddMemory(processId, reading);
        AddThreads(processId, isBackground: false, reading);
        foreach (var child in withChildren ? Children(processId) : [])
        {
            if (Times(child) is { } times)
            {
                reading.CpuSeconds += times.All;
                reading.IsFine &= times.IsFine;
                AddMemory(child, reading);
                AddThreads(child, BackgroundWork.IsProcess(Text($"{child}/cmdline") ?? ""), reading);
            }
        }

        return reading;
    }

    private (double Own, double All, bool IsFine)? Times(int processId)
    {
        // The name may contain spaces and parentheses; the last parenthesis ends it.
        var stat = Text($"{processId}/stat");
        if (stat?.LastIndexOf(')') is not ({ } end and > 0))
        {
            return null;
        }

        // Ended children have no clock; their use is accurate to a hundredth of a second.
        var ticks = stat[(end + 2)..].Split(' ').Skip(FirstTime).Take(4).Select(field => Number(field) / TicksPerSecond)
            .ToArray();
        var fine = clock(processId);
        var own = fine ?? ticks[0] + ticks[1];
        return (own, own + ticks[2] + ticks[3], fine is not null);
    }

    private IEnumerable<int> Children(int processId) =>
        Tasks(processId)
            .SelectMany(task =>
                (Text($"{processId}/task/{task}/children") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Select(id => int.Parse(id, CultureInfo.InvariantCulture)).ToList();

    private void AddMemory(int processId, ProcessReading reading)
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
    }

    private void AddThreads(int processId, bool isBackground, ProcessReading reading)
    {
        foreach (var task in Tasks(processId))
        {
            if (ThreadTimes(processId, task) is not { } times)
            {
                continue;
            }

            if (isBackground || BackgroundWork.IsThread(Text($"{processId}/task/{task}/comm") ?? ""))
            {
                reading.BackgroundNanoseconds[(processId, task)] = times.Cpu;
            }
            else
            {
                reading.DelayNanoseconds[(processId, task)] = times.Delay;
            }
        }
    }

    private long? RunDelay(int processId, string task) => ThreadTimes(processId, task)?.Delay;

    /// <summary>Nanoseconds on a processor and waiting for one; null if the kernel does not report them.</summary>
    private (long Cpu, long Delay)? ThreadTimes(int processId, string task) =>
        Text($"{processId}/task/{task}/schedstat")?.Split(' ') is [var cpu, var delay, ..]
            ? ((long)Number(cpu), (long)Number(delay))
            : null;

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

    /// <summary>A process may end between two reads, and processes of other users may be inaccessible.</summary>
    private static bool IsGone(Exception exception) => exception is IOException or UnauthorizedAccessException;

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);
}
