namespace UnitTests.LoadTesting.Results;

public sealed class ComparabilityTests
{
    private const long GiB = 1L << 30;

    public static TheoryData<string, Func<EnvironmentInfo, EnvironmentInfo>> Reported => new()
    {
        { "kernel", environment => environment with { Kernel = "6.18.1" } },
        { "operating system", environment => environment with { Os = "Debian GNU/Linux 13 (trixie)" } },
        { "SDK", environment => environment with { Sdk = "10.0.200" } },
        { "collector", environment => environment with { GcMode = "server" } },
        { "runtime", environment => environment with { Dotnet = ".NET 10.0.12" } },
        { "backend", environment => Backend(environment, backend => backend with { Version = "15.20" }) },
        { "setting new_one", environment => Backend(environment, backend => Setting(backend, "new_one", "on")) },
    };

    [Theory]
    [MemberData(nameof(Reported))]
    public void What_leaves_figures_alone_is_only_reported(string what, Func<EnvironmentInfo, EnvironmentInfo> change)
    {
        var difference = Assert.Single(Differences(Run(), Changed(change)));

        Assert.Equal((what, false), (difference.What, difference.ForbidsVerdict));
        Assert.True(Comparability.IsSameMachine(Run(), Changed(change), "postgres"));
    }

    [Theory]
    [InlineData("fingerprint")]
    [InlineData("boot")]
    [InlineData("memory of another kernel")]
    [InlineData("disk while others use it")]
    public void Machine_of_one_class_is_alike_to_itself(string what)
    {
        var run = Run();
        var other = what switch
        {
            "fingerprint" => Changed(environment => environment with { Fingerprint = null }),
            "boot" => Changed(environment => environment with { BootId = "another" }),
            "memory of another kernel" =>
                Changed(environment => environment with { MemoryBytes = environment.MemoryBytes - (GiB / 2) }),
            _ => Disk(run, run.CeilingsByProfile["postgres"].FsyncPerSecond / 3),
        };

        Assert.Empty(Differences(run, other));
        Assert.Empty(Differences(other, run));
    }

    public static TheoryData<string, Func<EnvironmentInfo, EnvironmentInfo>> Decisive => new()
    {
        { "processor", environment => environment with { CpuModel = "AMD EPYC" } },
        { "processor", environment => environment with { CpuModel = null, Architecture = null } },
        { "cores", environment => environment with { Cores = 4 } },
        { "cores", environment => environment with { CpuLimitCores = 1.5 } },
        { "memory", environment => environment with { MemoryBytes = 16 * GiB } },
        { "memory", environment => environment with { MemoryLimitBytes = 4 * GiB } },
        { "memory", environment => environment with { MemoryBytes = null } },
        { "runtime", environment => environment with { Dotnet = ".NET 11.0.0" } },
        { "runtime", environment => environment with { Dotnet = null } },
        { "durability", environment => Backend(environment, backend => backend with { Durability = "none" }) },
        { "backend", environment => Backend(environment, backend => backend with { Version = "17.2" }) },
        { "setting shared_buffers",
            environment => Backend(environment, backend => Setting(backend, "shared_buffers", "1GB")) },
    };

    [Theory]
    [MemberData(nameof(Decisive))]
    public void Difference_that_changes_figures_forbids_a_verdict(
        string what, Func<EnvironmentInfo, EnvironmentInfo> change)
    {
        var (there, back) = (Differences(Run(), Changed(change)), Differences(Changed(change), Run()));

        Assert.Equal((what, true), (Assert.Single(there).What, there[0].ForbidsVerdict));
        Assert.Equal((there[0].First, there[0].Other), (back[0].Other, back[0].First));
    }

    [Theory]
    [InlineData(100.0, "1,480 forced writes/s", "100 forced writes/s")]
    [InlineData(null, "1,480 forced writes/s", "not recorded")]
    public void Disk_is_told_by_what_was_measured_of_it(double? fsyncPerSecond, string first, string other)
    {
        var difference = Assert.Single(Differences(Run(), Disk(Run(), fsyncPerSecond)));

        Assert.Equal(new("disk", first, other, ForbidsVerdict: true), difference);
        Assert.False(Comparability.IsSameMachine(Run(), Disk(Run(), fsyncPerSecond), "postgres"));
    }

    [Fact]
    public void Disk_out_of_reach_is_told_by_its_commits()
    {
        var (slow, fast) = (Disk(Run(), null, commits: 90), Disk(Run(), null, commits: 900));

        Assert.Equal(
            new("disk", "90 commits/s", "900 commits/s", ForbidsVerdict: true), Assert.Single(Differences(slow, fast)));
        Assert.Empty(Differences(Disk(Run(), null, commits: null), Disk(Run(), null, commits: null)));
    }

    [Fact]
    public void Profile_without_a_disk_needs_none() => Assert.Empty(Differences(Run(), Disk(Run(), 1), "memory"));

    [Fact]
    public void Unlike_products_of_one_durability_are_ranked()
    {
        var other = Changed(
            environment =>
                Backend(environment, _ => new() { Product = "MongoDB", Version = "7.0", Durability = "durable" }));

        Assert.DoesNotContain(Differences(Run(), Disk(other, null)), difference => difference.ForbidsVerdict);
    }

    [Fact]
    public void Pairs_share_their_disk_whatever_was_measured()
    {
        var scenario = Run().Scenarios[0];

        Assert.Empty(Comparability.Unlike(Run().As("a"), scenario, Disk(Run(), 10).As("b"), scenario));
        Assert.Equal(
            ["cores is 2 and 4"],
            Comparability.Unlike(
                Run().As("a"), scenario, Changed(environment => environment with { Cores = 4 }).As("b"), scenario));
    }

    private static RunResult Run() => Runs.Of(Runs.Scenario());

    private static RunResult Changed(Func<EnvironmentInfo, EnvironmentInfo> change) =>
        Run() is var run ? run with { Environment = change(run.Environment) } : run;

    private static RunResult Disk(RunResult run, double? fsyncPerSecond, double? commits = 912) => run with
    {
        CeilingsByProfile = new Dictionary<string, CeilingsResult>(run.CeilingsByProfile)
        {
            ["postgres"] = new() { FsyncPerSecond = fsyncPerSecond, CommitsPerSecond = commits },
        },
    };

    private static EnvironmentInfo Backend(
        EnvironmentInfo environment, Func<BackendInfo, BackendInfo> change) => environment with
    {
        Backends = new Dictionary<string, BackendInfo>(
            environment.Backends) { ["postgres"] = change(environment.Backends["postgres"]) },
    };

    private static BackendInfo Setting(BackendInfo backend, string name, string value) =>
        backend with { Settings = new Dictionary<string, string>(backend.Settings) { [name] = value } };

    private static List<ComparisonDifference> Differences(
        RunResult first, RunResult other, string profile = "postgres") =>
        [.. Comparability.OfColumns(new("A", profile, first.As("first")), new("B", profile, other.As("other")))];
}
