using LoadTesting.Core.Reporting;

namespace UnitTests.LoadTesting.Reporting;

public sealed class ResultWriterTests : IDisposable
{
    private static readonly DateTimeOffset Now = new(2026, 3, 17, 10, 15, 0, TimeSpan.Zero);

    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("results-");

    private string Results => Path.Combine(_root.FullName, "results");

    public void Dispose() => _root.Delete(recursive: true);

    [Fact]
    public async Task A_run_is_named_by_time_and_commit_and_leaves_all_its_files()
    {
        await LayOutRepositoryAsync("0123456789abcdef0123456789abcdef01234567");
        using var writer = await CreateAsync();
        await AddSampleAsync(writer);

        Assert.Equal("20260317T101500Z-0123456", Path.GetFileName(writer.DirectoryPath));
        var files = Directory.GetFiles(writer.DirectoryPath).Select(Path.GetFileName).Order(StringComparer.Ordinal);
        string[] expected =
        [
            "memory-immediate-burst-smoke.json", "memory-synthetic-external-resume-smoke.json",
            "postgres-bulstrad-quote-or-apl-cancel-smoke.json",
            "postgres-delayed-burst-smoke.json", "postgres-immediate-burst-smoke-http.json",
            "postgres-immediate-burst-smoke.json",
            "postgres-synthetic-external-resume-smoke-http.json", "postgres-synthetic-external-resume-smoke.json",
            "report.html",
            "run.json", "summary.md",
        ];
        Assert.Equal(expected, files);
    }

    [Fact]
    public async Task Without_a_repository_the_commit_is_nogit_and_null()
    {
        using var writer = await CreateAsync();

        Assert.EndsWith("Z-nogit", writer.DirectoryPath, StringComparison.Ordinal);
        Assert.Null((await ReadRunAsync(writer)).Commit);
    }

    [Fact]
    public async Task Two_runs_in_one_second_get_a_directory_each()
    {
        using var first = await CreateAsync();
        using var second = await CreateAsync();

        Assert.Equal(first.DirectoryPath + "-2", second.DirectoryPath);
        Assert.Equal(Path.GetFileName(second.DirectoryPath), (await ReadRunAsync(second)).RunId);
    }

    [Fact]
    public async Task Latest_leads_to_the_newest_run()
    {
        using var first = await CreateAsync();
        using var second = await CreateAsync();

        var latest = await ResultJson.ReadFileAsync(Path.Combine(Results, "latest", "run.json"), Cancel);

        Assert.Equal(second.Run.RunId, latest.RunId);
    }

    [Fact]
    public async Task Latest_is_a_copy_if_links_cannot_be_made()
    {
        using var writer = await CreateAsync();
        var copy = Path.Combine(Results, "copied");
        LatestRun.Copy(writer.DirectoryPath, copy);
        await writer.AddScenariosAsync([SampleRun.Create().Scenarios[0]], Cancel);

        LatestRun.Copy(writer.DirectoryPath, copy);

        Assert.Single((await ResultJson.ReadFileAsync(Path.Combine(copy, "run.json"), Cancel)).Scenarios);
        Assert.Null(new DirectoryInfo(copy).LinkTarget);
    }

    [Fact]
    public async Task Files_are_complete_after_each_scenario()
    {
        using var writer = await CreateAsync();
        var count = 0;
        foreach (var scenario in SampleRun.Create().Scenarios)
        {
            await writer.AddScenariosAsync([scenario], Cancel);

            var run = await ReadRunAsync(writer);
            Assert.Equal(++count, run.Scenarios.Count);
            Assert.Contains(
                scenario.NameWithoutProfile(), await File.ReadAllTextAsync(writer.ReportPath, Cancel),
                StringComparison.Ordinal);
        }

        Assert.Empty(Directory.GetFiles(writer.DirectoryPath, "*.tmp"));
    }

    [Fact]
    public async Task Scenario_file_is_a_separate_run_with_its_profile()
    {
        using var writer = await CreateAsync();
        await AddSampleAsync(writer);

        var run = await ResultJson.ReadFileAsync(
            Path.Combine(writer.DirectoryPath, "postgres-delayed-burst-smoke.json"), Cancel);

        Assert.Equal("postgres-delayed-burst-smoke", Assert.Single(run.Scenarios).Name);
        Assert.Equal("PostgreSQL", run.Environment.Backend?.Product);
        Assert.Equal("postgres", Assert.Single(run.Environment.Backends).Key);
        Assert.Equal(912, run.Ceilings?.CommitsPerSecond);
    }

    [Fact]
    public async Task Backend_of_several_profiles_is_null_with_the_reason()
    {
        using var writer = await CreateAsync();
        await AddSampleAsync(writer);

        var environment = (await ReadRunAsync(writer)).Environment;

        Assert.Null(environment.Backend);
        Assert.Contains(environment.Notes, note => note.Contains("backends", StringComparison.Ordinal));
        Assert.Equal(["memory", "postgres"], environment.Backends.Keys);
    }

    [Fact]
    public async Task A_scenario_carries_its_share_of_each_measured_ceiling()
    {
        using var writer = await CreateAsync();
        await AddSampleAsync(writer);

        var scenarios = (await ReadRunAsync(writer)).Scenarios.ToDictionary(scenario => scenario.Name);

        var shares = scenarios["postgres-immediate-burst-smoke"].CeilingShares;
        Assert.Equal(1834.0 / 912, shares["commitsPerSecond"], precision: 6);
        Assert.False(shares.ContainsKey("emptyHttpPerSecond"));
        Assert.Equal(642.0 / 18_450,
            scenarios["postgres-immediate-burst-smoke-http"].CeilingShares["emptyHttpPerSecond"], precision: 6);
        Assert.Empty(scenarios["memory-immediate-burst-smoke"].CeilingShares);
    }

    [Fact]
    public async Task Number_that_is_not_finite_is_refused_by_name()
    {
        using var writer = await CreateAsync();
        var scenario = SampleRun.Create().Scenarios[0];
        await writer.AddScenariosAsync([scenario], Cancel);

        var refusal = await Assert.ThrowsAsync<ArgumentException>(
            () => writer.AddScenariosAsync(
                [scenario with { Name = "memory-broken", ThroughputPerSecond = double.NaN }], Cancel));

        Assert.Contains("memory-broken", refusal.Message, StringComparison.Ordinal);
        Assert.Single((await ReadRunAsync(writer)).Scenarios);
        Assert.Single(writer.Run.Scenarios);
    }

    [Fact]
    public async Task A_scenario_that_is_repeated_or_badly_named_loses_no_file()
    {
        using var writer = await CreateAsync();
        var scenario = SampleRun.Create().Scenarios[0];
        foreach (var name in new[] { "run", "a", "a", "../../etc/passwd", "" })
        {
            await writer.AddScenariosAsync([scenario with { Name = name }], Cancel);
        }

        var files =
            Directory.GetFiles(writer.DirectoryPath, "*.json").Select(Path.GetFileName).Order(StringComparer.Ordinal);

        Assert.Equal(["-..-etc-passwd.json", "a-2.json", "a.json", "run-2.json", "run.json", "scenario.json"], files);
        Assert.Equal(5, (await ReadRunAsync(writer)).Scenarios.Count);
    }

    [Fact]
    public async Task Scenarios_added_at_once_are_all_kept()
    {
        using var writer = await CreateAsync();
        var scenario = SampleRun.Create().Scenarios[0];

        await Task.WhenAll(Enumerable.Range(0, 12).Select(
            i => writer.AddScenariosAsync([scenario with { Name = $"memory-{i}" }], Cancel)));

        Assert.Equal(12, (await ReadRunAsync(writer)).Scenarios.Select(added => added.Name).Distinct().Count());
    }

    [Fact]
    public async Task Snapshot_name_outside_the_folder_is_refused()
    {
        using var writer = await CreateAsync();
        await writer.WriteSnapshotAsync("postgres-settings.txt", "fsync = on", Cancel);

        Assert.Equal("fsync = on",
            await File.ReadAllTextAsync(
                Path.Combine(writer.DirectoryPath, "snapshots", "postgres-settings.txt"), Cancel));
        await Assert.ThrowsAsync<ArgumentException>(() => writer.WriteSnapshotAsync("../run.json", "", Cancel));
    }

    private static async Task AddSampleAsync(ResultWriter writer)
    {
        var sample = SampleRun.Create();
        foreach (var (profile, backend) in sample.Environment.Backends)
        {
            await writer.SetBackendAsync(profile, backend, Cancel);
        }

        foreach (var (profile, ceilings) in sample.CeilingsByProfile)
        {
            await writer.SetCeilingsAsync(profile, ceilings, Cancel);
        }

        foreach (var scenario in sample.Scenarios)
        {
            await writer.AddScenariosAsync([scenario], Cancel);
        }
    }

    private static Task<RunResult> ReadRunAsync(ResultWriter writer) =>
        ResultJson.ReadFileAsync(Path.Combine(writer.DirectoryPath, "run.json"), Cancel);

    private Task<ResultWriter> CreateAsync() => ResultWriter.CreateAsync(
        new ResultWriterOptions
            { ResultsDirectory = Results, RepositoryDirectory = _root.FullName, TimeProvider = new FixedTime(Now) },
        Cancel);

    private async Task LayOutRepositoryAsync(string commit)
    {
        var git = Path.Combine(_root.FullName, ".git");
        Directory.CreateDirectory(Path.Combine(git, "refs", "heads"));
        await File.WriteAllTextAsync(Path.Combine(git, "HEAD"), "ref: refs/heads/main\n", Cancel);
        await File.WriteAllTextAsync(Path.Combine(git, "refs", "heads", "main"), commit + "\n", Cancel);
    }

    private sealed class FixedTime(DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;
    }
}
