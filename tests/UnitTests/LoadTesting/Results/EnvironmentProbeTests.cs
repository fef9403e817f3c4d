using System.Diagnostics;
using System.Reflection.Emit;

namespace UnitTests.LoadTesting.Results;

public sealed class EnvironmentProbeTests : IDisposable
{
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("host-");

    public EnvironmentProbeTests()
    {
        Write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.50GHz\nflags\t\t: fpu\n");
        Write("proc/meminfo", "MemTotal:       25165824 kB\nMemFree:  1 kB\n");
        Write("proc/sys/kernel/osrelease", "6.1.0-31-cloud-amd64\n");
        Write("proc/sys/kernel/random/boot_id", "0b1e4a52-9c1e-4a36-b0b4-0d6ad2a86a11\n");
        Write("proc/loadavg", "0.42 0.51 0.33 1/234 5678\n");
        Write("proc/stat", "cpu  100 0 50 800 20 0 10 20 5 0\ncpu0 1 2 3\n");
        Write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
        Write("sys/fs/cgroup/cpu.max", "150000 100000\n");
        Write("sys/fs/cgroup/memory.max", "1073741824\n");
    }

    public void Dispose() => _root.Delete(recursive: true);

    [Fact]
    public async Task The_host_is_described_from_what_the_kernel_says()
    {
        var environment = (await StartAsync()).Describe();

        Assert.Equal("Intel(R) Xeon(R) CPU @ 2.50GHz", environment.CpuModel);
        Assert.Equal(24L << 30, environment.MemoryBytes);
        Assert.Equal("6.1.0-31-cloud-amd64", environment.Kernel);
        Assert.Equal("Debian GNU/Linux 12 (bookworm)", environment.Os);
        Assert.Equal("0b1e4a52-9c1e-4a36-b0b4-0d6ad2a86a11", environment.BootId);
        Assert.Equal(1.5, environment.CpuLimitCores);
        Assert.Equal(1L << 30, environment.MemoryLimitBytes);
        Assert.Equal($"intel-xeon-2-50ghz-{Environment.ProcessorCount}c-24g", environment.MachineClass);
        Assert.Equal([0.42, 0.51, 0.33], environment.LoadAverageBefore!);
    }

    [Fact]
    public async Task Code_that_is_not_optimised_is_named()
    {
        Assert.DoesNotContain(
            (await StartAsync()).Describe().Unoptimised!,
            name => name.StartsWith("LoadTesting.", StringComparison.Ordinal));

        var mark = typeof(DebuggableAttribute).GetConstructor([typeof(DebuggableAttribute.DebuggingModes)])!;
        var slow = AssemblyBuilder.DefineDynamicAssembly(
            new("Slow.Engine"), AssemblyBuilderAccess.Run,
            [new(mark, [DebuggableAttribute.DebuggingModes.DisableOptimizations])]);

        Assert.Contains(slow.GetName().Name!, (await StartAsync()).Describe().Unoptimised!);
    }

    [Fact]
    public async Task Load_and_stolen_time_are_measured_since_the_start()
    {
        var probe = await StartAsync();
        var before = probe.Describe();
        Write("proc/loadavg", "3.00 1.00 0.50 1/234 5678\n");
        Write("proc/stat", "cpu  150 0 50 825 20 0 10 45 5 0\n");

        var after = probe.Describe();

        Assert.Equal([0.42, 0.51, 0.33], after.LoadAverageBefore!);
        Assert.Equal([3, 1, 0.5], after.LoadAverageAfter!);
        Assert.Null(before.StealShare);
        Assert.Equal(0.25, after.StealShare);
        Assert.Equal(before.Fingerprint, after.Fingerprint);
    }

    [Theory]
    [InlineData("proc/cpuinfo", "model name : Other\n")]
    [InlineData("proc/meminfo", "MemTotal: 50331648 kB\n")]
    [InlineData("proc/sys/kernel/osrelease", "6.2\n")]
    [InlineData("etc/os-release", "PRETTY_NAME=Other\n")]
    [InlineData("sys/fs/cgroup/cpu.max", "max 100000\n")]
    [InlineData("sys/fs/cgroup/memory.max", "max\n")]
    public async Task Another_machine_or_limit_has_another_fingerprint(string path, string content)
    {
        var before = (await StartAsync()).Describe();
        Write(path, content);

        Assert.NotEqual(before.Fingerprint, (await StartAsync()).Describe().Fingerprint);
    }

    [Fact]
    public async Task Limit_of_max_is_no_limit()
    {
        Write("sys/fs/cgroup/cpu.max", "max 100000\n");
        Write("sys/fs/cgroup/memory.max", "max\n");

        var environment = (await StartAsync()).Describe();

        Assert.Null(environment.CpuLimitCores);
        Assert.Null(environment.MemoryLimitBytes);
    }

    [Fact]
    public async Task A_system_without_these_files_is_described_by_the_runtime()
    {
        Directory.Delete(Path.Combine(_root.FullName, "proc"), recursive: true);

        var environment = (await StartAsync()).Describe();

        Assert.Null(environment.BootId);
        Assert.Null(environment.LoadAverageBefore);
        Assert.True(environment.MemoryBytes > 0);
        Assert.Equal(64, environment.Fingerprint!.Length);
    }

    [Fact]
    public void Content_hash_changes_also_where_its_joints_move() =>
        Assert.Equal(3,
            new[] { ContentHash.Of("ab", "c"), ContentHash.Of("a", "bc"), ContentHash.Of("abc") }.Distinct().Count());

    private Task<EnvironmentProbe> StartAsync() => EnvironmentProbe.StartAsync(_root.FullName, _root.FullName, Cancel);

    private void Write(string path, string text)
    {
        var full = Path.Combine(_root.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
