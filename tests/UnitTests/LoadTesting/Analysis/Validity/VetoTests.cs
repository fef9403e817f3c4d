using LoadTesting.Core.Analysis.Validity;

namespace UnitTests.LoadTesting.Analysis.Validity;

public sealed class VetoTests : IDisposable
{
    private static readonly TimeSpan TenSeconds = TimeSpan.FromSeconds(10);

    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("host-");

    public void Dispose() => _root.Delete(recursive: true);

    [Fact]
    public void Quiet_machine_has_no_veto()
    {
        var validity = Judge(new HostSample(0.02, 0.01, TenSeconds), Generator(cpu: 0.8, pause: 0.05));

        Assert.Equal(
            ["steal", "throttled", "generatorCpu", "gcPause"], validity.Environment.Select(check => check.Name));
        Assert.All(validity.Environment, check => Assert.Equal(CheckOutcome.Passed, check.Outcome));
        Assert.Empty(validity.Vetoes);
    }

    [Theory]
    [InlineData("steal", "2.1 % of the processor time went to others of the hypervisor, 2 % allowed")]
    [InlineData("throttled", "1.1 % of the time the control group was throttled, 1 % allowed")]
    [InlineData("generatorCpu", "81.0 % of the processors were the generator's, 80 % allowed")]
    [InlineData("gcPause", "5.1 % of the time the collector had stopped the generator, 5 % allowed")]
    public void Each_disturbance_is_named_with_value_and_limit(string name, string sentence)
    {
        var validity = Judge(
            new HostSample(name == "steal" ? 0.021 : 0, name == "throttled" ? 0.011 : 0, TenSeconds),
            Generator(name == "generatorCpu" ? 0.81 : 0, name == "gcPause" ? 0.051 : 0));

        Assert.Equal([sentence], validity.Vetoes);
        Assert.True(validity.Valid, "A veto does not make a result invalid.");
    }

    [Fact]
    public void Generator_in_the_same_process_is_not_blamed()
    {
        var checks = Vetoes.Judge(new HostSample(0, 0, TenSeconds), Generator(1, 1), isShared: true);

        Assert.Equal(["generatorCpu", "gcPause"], checks.Where(check => check.Outcome == CheckOutcome.NotApplicable)
            .Select(check => check.Name));
    }

    [Fact]
    public void Short_load_and_a_machine_that_does_not_tell_are_not_judged()
    {
        var brief = Vetoes.Judge(
            new HostSample(0.5, 0.5, TimeSpan.FromMilliseconds(200)), Generator(0, 0), isShared: true);
        var silent = Vetoes.Judge(new HostSample(null, null, TenSeconds), Generator(0, 0), isShared: true);

        Assert.All(brief.Concat(silent), check => Assert.Equal(CheckOutcome.NotApplicable, check.Outcome));
        Assert.Equal("the load was shorter than 1 s, and shares of it say nothing", brief[0].Reason);
        Assert.Equal("this machine does not report it", silent[0].Reason);
    }

    [Theory]
    [InlineData("sys/fs/cgroup/cpu.stat", "usage_usec 1\nnr_throttled 3\nthrottled_usec {0}\n", 1)]
    [InlineData("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time {0}\n", 1_000)]
    [InlineData("sys/fs/cgroup/system.slice/job.service/cpu.stat", "usage_usec 1\nthrottled_usec {0}\n", 1)]
    public void Throttling_and_steal_are_read_from_the_kernel(string file, string content, int perMicrosecond)
    {
        Write("proc/self/cgroup", "0::/system.slice/job.service\n");
        Write("proc/stat", "cpu  100 0 50 800 20 0 10 20 5 0\n");
        Write(file,
            string.Format(System.Globalization.CultureInfo.InvariantCulture, content, 7_000_000L * perMicrosecond));
        var watch = HostWatch.Start(_root.FullName);
        Write("proc/stat", "cpu  150 0 50 825 20 0 10 45 5 0\n");
        Write(file,
            string.Format(System.Globalization.CultureInfo.InvariantCulture, content, 7_500_000L * perMicrosecond));

        var sample = watch.Read(TenSeconds);

        Assert.Equal((0.25, 0.05), (sample.StealShare, sample.ThrottledShare));
    }

    [Fact]
    public void Kernel_that_says_nothing_gives_nulls()
    {
        var sample = HostWatch.Start(_root.FullName).Read(TenSeconds);

        Assert.Equal((null, null), (sample.StealShare, sample.ThrottledShare));
    }

    private static ValidityResult Judge(HostSample host, GeneratorHealth generator) =>
        new() { Environment = Vetoes.Judge(host, generator, isShared: false) };

    private static GeneratorHealth Generator(double cpu, double pause) => new(
        new GeneratorResult { Health = GeneratorState.Healthy, ScheduleLagP99Ms = 100 }, [],
        new GeneratorSample(cpu, pause, 0, 0, 0, 100, 2, TenSeconds));

    private void Write(string path, string content)
    {
        var full = Path.Combine(_root.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, content);
    }
}
