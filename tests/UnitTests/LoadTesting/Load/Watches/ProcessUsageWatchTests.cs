using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Watches;

public sealed class ProcessUsageWatchTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("proc-").FullName;

    [Fact]
    public async Task Usage_of_a_process_includes_its_children()
    {
        Machine(used: 1000);
        Process(7, children: "8 9", times: "100 50 10 5", delayNs: 0, anonymousKib: 1000, sharedKib: 400);
        Process(8, children: "", times: "200 0 0 0", delayNs: 5_000_000_000, anonymousKib: 2000, sharedKib: 500);
        Process(9, children: "", times: "1 1 0 0", delayNs: 0, anonymousKib: 100, sharedKib: 500);
        var watch = Start(new WatchedProcess("database", 7, WithChildren: true), new WatchedProcess("alone", 7));

        // Process 9 ends, and its parent takes over what it used; 8 works on; 10 begins.
        Machine(used: 1600);
        Process(7, children: "8 10", times: "110 50 11 6", delayNs: 0, anonymousKib: 1000, sharedKib: 400);
        Process(8, children: "", times: "300 20 0 0", delayNs: 5_500_000_000, anonymousKib: 3000, sharedKib: 600);
        Process(10, children: "", times: "30 0 0 0", delayNs: 250_000_000, anonymousKib: 50, sharedKib: 0);
        var report = await watch.StopAsync();

        var database = report.Processes["database"];
        Assert.Equal((110 + 50 + 11 + 6 + 320 + 30 - (165 + 200 + 2)) / 100.0, database.CpuSeconds, 9);
        Assert.Equal(0.75, database.RunDelaySeconds!.Value, 9);
        Assert.Equal((1000 + 3000 + 50 + 600) * 1024L, database.PeakMemoryBytes);
        Assert.Equal(0.1, report.Processes["alone"].CpuSeconds, 9);
        Assert.Equal(6, report.MachineCpuSeconds!.Value, 9);
        Assert.Equal(
            ["Processor time of the database is known to a hundredth of a second: its clock cannot be read.",
                "Processor time of the alone is known to a hundredth of a second: its clock cannot be read."],
            report.Notes);
    }

    [Fact]
    public async Task Processor_time_includes_children_that_ended()
    {
        var clocks = new Dictionary<int, double?> { [7] = 1.0001, [8] = 2.0002 };
        Machine(used: 0);
        Process(7, children: "8", times: "100 0 10 5", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        Process(8, children: "", times: "200 0 0 0", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        var watch = ProcessUsageWatch.Start(
            new ProcessFiles(_root, clocks.GetValueOrDefault),
            [new("database", 7, WithChildren: true), new("alone", 7)],
            Timeout.InfiniteTimeSpan);

        (clocks[7], clocks[8]) = (1.0004, 2.0009);
        Process(7, children: "8", times: "100 0 11 5", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        var report = await watch.StopAsync();

        Assert.Equal(0.0003 + 0.0007 + 0.01, report.Processes["database"].CpuSeconds, 9);
        Assert.Equal(0.0003, report.Processes["alone"].CpuSeconds, 9);
        Assert.Empty(report.Notes);
    }

    [Fact]
    public void Processor_time_has_fine_resolution()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /proc here.");
        using var other = System.Diagnostics.Process.Start("sh", ["-c", "while :; do :; done"]);
        try
        {
            var (start, last, steps) = (Stopwatch.GetTimestamp(), 0.0, new List<double>());
            while (steps.Count < 20 && Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(30))
            {
                var now = ProcessFiles.OfMachine.CpuSeconds(other.Id, withChildren: false)!.Value;
                if (now > last)
                {
                    steps.Add(now - last);
                    last = now;
                }
            }

            // However long this process waits between two looks: they are no whole hundredths.
            Assert.Contains(steps, step => Math.Abs(Math.IEEERemainder(step, 0.01)) > 0.0005);
        }
        finally
        {
            other.Kill();
        }
    }

    [Theory]
    [InlineData(".NET Tiered Com", "dotnet\0", true)]
    [InlineData(".NET TP Worker", "dotnet\0", false)]
    [InlineData("postgres", "postgres: walwriter \0", true)]
    [InlineData("postgres", "postgres: user db 127.0.0.1(5000) idle\0", false)]
    public async Task Work_that_no_operation_waits_for_is_known_by_its_name(
        string thread, string commandLine, bool isBackground)
    {
        Machine(used: 0);
        Process(7, children: "8", times: "0 0 0 0", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        Process(8, children: "", times: "0 0 0 0", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        Write("8/task/8/comm", thread + "\n");
        Write("8/cmdline", commandLine);
        var watch = Start(new WatchedProcess("database", 7, WithChildren: true));

        Process(8, children: "", times: "100 0 0 0", delayNs: 2_000_000_000, anonymousKib: 1, sharedKib: 0,
            ranNs: 900_000_000);
        var used = (await watch.StopAsync()).Processes["database"];

        Assert.Equal(isBackground ? 0.9 : 0, used.BackgroundCpuSeconds, 8);
        Assert.Equal(isBackground ? 0.1 : 1, used.OperationCpuSeconds, 8);
        Assert.Equal(isBackground ? 0 : 2, used.RunDelaySeconds!.Value, 9);
    }

    [Fact]
    public async Task Moments_have_what_was_used_until_then_and_what_else_was_read()
    {
        Machine(used: 100);
        Process(7, children: "", times: "0 0 0 0", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        var waited = 0.0;
        var watch = ProcessUsageWatch.Start(
            new ProcessFiles(_root, _ => null), [new("service", 7)], Timeout.InfiniteTimeSpan,
            () => new SystemSums { PoolWaitSeconds = waited += 2 });

        Machine(used: 300);
        Process(7, children: "", times: "50 0 0 0", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        var moments = (await watch.StopAsync()).Moments;

        Assert.Equal([0, 0.5], moments.Select(moment => moment.Processes["service"].CpuSeconds));
        Assert.Equal([2.0, 4.0], moments.Select(moment => moment.Sums.PoolWaitSeconds!.Value));
        Assert.Equal(2, moments[1].MachineCpuSeconds!.Value - moments[0].MachineCpuSeconds!.Value, 9);
    }

    [Fact]
    public async Task Process_that_ended_is_absent_with_the_reason()
    {
        Machine(used: 0);
        Process(7, children: "", times: "1 1 0 0", delayNs: 0, anonymousKib: 1, sharedKib: 0);
        var watch = Start(new WatchedProcess("service", 7));
        Directory.Delete(Path.Combine(_root, "proc", "7"), recursive: true);

        var report = await watch.StopAsync();

        Assert.Empty(report.Processes);
        Assert.Contains("service is null: process 7 ended", Assert.Single(report.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Machine_without_proc_gives_nothing_and_the_reason()
    {
        var report = await Start(new WatchedProcess("service", 7)).StopAsync();

        Assert.Empty(report.Processes);
        Assert.Null(report.MachineCpuSeconds);
        Assert.Contains("no /proc", Assert.Single(report.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Work_of_this_process_is_seen()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /proc here.");
        var watch = ProcessUsageWatch.Start([new WatchedProcess("test", Environment.ProcessId)]);
        using var process = System.Diagnostics.Process.GetCurrentProcess();
        var before = process.TotalProcessorTime;
        var start = Stopwatch.GetTimestamp();
        while (CpuSince(process, before) < TimeSpan.FromMilliseconds(100)
            && Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(30))
        {
            Math.Sqrt(Stopwatch.GetTimestamp());
        }

        var report = await watch.StopAsync();

        Assert.InRange(report.Processes["test"].CpuSeconds, 0.08, report.MachineCpuSeconds!.Value + 0.1);
        Assert.True(report.Processes["test"].PeakMemoryBytes > 1 << 20);
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    /// <summary>Looks at the beginning and at the end alone.</summary>
    private ProcessUsageWatch Start(params WatchedProcess[] processes) =>
        ProcessUsageWatch.Start(new ProcessFiles(_root, _ => null), processes, Timeout.InfiniteTimeSpan);

    private static TimeSpan CpuSince(Process process, TimeSpan before)
    {
        process.Refresh();
        return process.TotalProcessorTime - before;
    }

    private void Machine(int used) => Write("stat", $"cpu  {used} 0 0 5000 300 0 0 0 0 0");

    private void Process(
        int id, string children, string times, long delayNs, int anonymousKib, int sharedKib, long ranNs = 1)
    {
        Write($"{id}/stat", $"{id} (a (strange) name) S 1 1 1 0 -1 4194560 1 2 3 4 {times} 20 0 1 0");
        Write($"{id}/status", $"Name:\tx\nRssAnon:\t{anonymousKib} kB\nRssFile:\t0 kB\nRssShmem:\t{sharedKib} kB\n");
        Write($"{id}/task/{id}/children", children);
        Write($"{id}/task/{id}/schedstat", string.Create(CultureInfo.InvariantCulture, $"{ranNs} {delayNs} 1"));
    }

    private void Write(string path, string text)
    {
        var full = Path.Combine(_root, "proc", path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
