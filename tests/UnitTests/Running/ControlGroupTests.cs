using PerformanceTesting.Backends.Containers;

namespace UnitTests.Running;

public sealed class ControlGroupTests : IDisposable
{
    private const int Process = 4711;
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("control-group-");

    [Fact]
    public void Version_1_reports_memory_without_inactive_files()
    {
        Write($"proc/{Process}/cgroup",
            "9:name=systemd:/docker/abc\n4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/docker/abc\n");
        Write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpuacct.usage", "1500000000\n");
        Write("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "5000\n");
        Write("sys/fs/cgroup/memory/docker/abc/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n");

        Assert.Equal(new ContainerUsage(1.5, 3000), new ControlGroup(_root.FullName).Read(Process));
    }

    [Fact]
    public void Version_2_says_the_same()
    {
        Write($"proc/{Process}/cgroup", "0::/system.slice/docker-abc.scope\n");
        Write("sys/fs/cgroup/system.slice/docker-abc.scope/cpu.stat", "usage_usec 2500000\nuser_usec 1\n");
        Write("sys/fs/cgroup/system.slice/docker-abc.scope/memory.current", "7000\n");
        Write("sys/fs/cgroup/system.slice/docker-abc.scope/memory.stat", "anon 1\ninactive_file 3000\n");

        Assert.Equal(new ContainerUsage(2.5, 4000), new ControlGroup(_root.FullName).Read(Process));
    }

    [Theory]
    [InlineData("")]
    [InlineData("0::/docker/abc\n")]
    [InlineData("4:memory:/docker/abc\n2:cpuacct:/docker/abc\n")]
    public void Figures_that_the_kernel_does_not_show_are_null(string groups)
    {
        Write($"proc/{Process}/cgroup", groups);

        Assert.Null(new ControlGroup(_root.FullName).Read(Process));
        Assert.Null(new ControlGroup(_root.FullName).Read(Process + 1));
    }

    public void Dispose() => _root.Delete(recursive: true);

    private void Write(string path, string text)
    {
        var file = Path.Combine(_root.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}
