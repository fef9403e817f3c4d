using System.Diagnostics;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace UnitTests.LoadTesting.Reporting;

/// <summary>The remains of a run whose process was killed.</summary>
public sealed class UnfinishedRunTests : IDisposable
{
    private const string Measured = "postgres-signal-roundtrip-soak";

    private static readonly ProcessOwner Gone = new(int.MaxValue, 1);

    private readonly DirectoryInfo _results = Directory.CreateTempSubdirectory("unfinished-runs-");

    public void Dispose() => _results.Delete(recursive: true);

    [Fact]
    public async Task Run_of_a_zombie_process_is_finished()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only there does a process stay listed until its parent asks.");

        // The shell becomes a program that asks for no child of it.
        using var parent = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "sleep 0.2 & echo $!; exec sleep 600"])
        {
            RedirectStandardOutput = true,
        })!;
        try
        {
            var id = int.Parse((await parent.StandardOutput.ReadLineAsync(Cancel))!, CultureInfo.InvariantCulture);
            using var child = Process.GetProcessById(id);
            var owner = new ProcessOwner(id, new DateTimeOffset(child.StartTime).ToUnixTimeSeconds());
            await Eventually.HoldsAsync(
                () => File.ReadAllText($"/proc/{id}/stat").Contains(") Z ", StringComparison.Ordinal),
                "the process to have ended");

            Assert.False(owner.IsAlive);
            await StartAsync(owner);
            AssertHolds(
                Assert.Single(await UnfinishedRuns.FinishAsync(_results.FullName, Cancel)), "its process was killed");
        }
        finally
        {
            parent.Kill();
        }
    }

    [Fact]
    public async Task Results_of_a_killed_run_are_kept_as_partial()
    {
        var directory = await StartAsync(Gone);
        var before = await ReadAsync(directory);

        var said = Assert.Single(await UnfinishedRuns.FinishAsync(_results.FullName, Cancel));
        var again = await UnfinishedRuns.FinishAsync(directory, Cancel);

        AssertHolds(said, directory, "its process was killed", $"while it measured {Measured}", "marked as partial");
        Assert.Empty(again);
        var run = await ReadAsync(directory);
        Assert.Contains($"while it measured {Measured}", run.Partial, StringComparison.Ordinal);
        Assert.Equal(
            (before.Environment.Fingerprint, before.CreatedUtc), (run.Environment.Fingerprint, run.CreatedUtc));
        Assert.Equal(["memory-signal-roundtrip", Measured], run.Scenarios.Select(scenario => scenario.Name));
        var partial = run.Scenarios[1];
        Assert.Equal(run.Partial, partial.Partial);
        Assert.Equal(VerdictOutcome.Inconclusive, partial.Verdict.Outcome);
        Assert.Equal((5_000, 200, 1_000), (partial.DurationMs, partial.ThroughputPerSecond, partial.Latency.N));
        Assert.Equal(2, partial.Latency.P50Ms!.Value, 0.1);
        Assert.Contains(partial.Notes, note => note.StartsWith(
            "After 5 s 1,010 iterations had started, 1,000 completed, 3 failed; 7 were in flight",
            StringComparison.Ordinal));
        Assert.Contains(
            BaselineRules.Choose(run, []).Refusals,
            refusal => refusal.ToString().Contains("killed", StringComparison.Ordinal));
        Assert.Contains("partial", await File.ReadAllTextAsync(Path.Combine(directory, "report.html"), Cancel),
            StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(directory, Measured + ".json")));
        var progress = await ProgressFile.ReadAsync(Path.Combine(directory, ProgressFile.FileName), Cancel);
        Assert.Equal((RunState.Killed, 1, 1), (progress.State, progress.Passed, progress.Inconclusive));
    }

    [Fact]
    public async Task Running_or_ended_run_is_left_alone()
    {
        string[] directories =
        [
            await StartAsync(ProcessOwner.Current), await StartAsync(Gone, run => run with { Machine = "elsewhere" }),
            await StartAsync(Gone, run => run with { State = RunState.Ended }),
        ];

        Assert.Empty(await UnfinishedRuns.FinishAsync(_results.FullName, Cancel));

        foreach (var directory in directories)
        {
            Assert.Null((await ReadAsync(directory)).Partial);
        }
    }

    [Fact]
    public async Task Run_that_cannot_be_read_is_named_and_hides_no_other()
    {
        var (broken, killed) = (await StartAsync(Gone), await StartAsync(Gone));
        await File.WriteAllTextAsync(Path.Combine(broken, "run.json"), "", Cancel);

        var said = await UnfinishedRuns.FinishAsync(_results.FullName, Cancel);

        Assert.Equal(2, said.Count);
        Assert.Contains(said,
            sentence => sentence.StartsWith(broken + ": it is unknown how the run ended", StringComparison.Ordinal));
        Assert.NotNull((await ReadAsync(killed)).Partial);
    }

    [Fact]
    public async Task Unfinished_run_is_kept_and_does_not_pass_its_gate()
    {
        var directory = await StartAsync(Gone);
        using var output = new StringWriter();
        using var error = new StringWriter();

        var code = await CommandLine.RunAsync(
            ["baseline", "accept", directory, "--to", Path.Combine(_results.FullName, "baselines")],
            new ToolConsole(output, error, IsStyled: false), Cancel);

        Assert.Equal(ExitCode.Findings, code);
        AssertHolds(error.ToString(), "its process was killed");
        Assert.NotNull((await ReadAsync(directory)).Partial);
    }

    [Fact]
    public void Operations_of_several_iterations_have_no_latency()
    {
        var planned = SampleRun.Scenario("postgres", "batch", 100, 8, 5, 388);

        var filled = UnfinishedRuns.Fill(
            planned, Load with { PlannedSeconds = null, PlannedIterations = 200 }, DateTimeOffset.UnixEpoch);

        Assert.Equal((0, 0), (filled.Latency.N, filled.ThroughputPerSecond));
        Assert.Contains(filled.Notes, note => note.Contains("are unknown", StringComparison.Ordinal));
    }

    private static ScenarioProgress Load { get; } = new()
    {
        Name = Measured, ElapsedSeconds = 5, PlannedSeconds = 60, Started = 1_010, Completed = 1_000, Failed = 3,
        InFlight = 7,
        Latency = LatenciesOf(1_000, milliseconds: 2),
    };

    /// <summary>A run with one result that measures the next, as its process leaves it.</summary>
    private async Task<string> StartAsync(
        ProcessOwner process, Func<RunProgressSnapshot, RunProgressSnapshot>? change = null)
    {
        using var writer = await ResultWriter.CreateAsync(
            new() { ResultsDirectory = _results.FullName, RepositoryDirectory = _results.FullName }, Cancel);
        await writer.AddScenariosAsync([SampleRun.Scenario("memory", "signal-roundtrip", 100, 8, 5, 388)], Cancel);
        var now = TimeProvider.System.GetUtcNow();
        var planned = SampleRun.Scenario("postgres", "signal-roundtrip-soak", 100, 8, 5, 388) with { Notes = [] };
        var run = new RunProgressSnapshot
        {
            Process = process, Machine = Environment.MachineName, BootId = BootId.Current, StartedUtc = now,
            UpdatedUtc = now,
            Subject = Measured, Stage = RunStage.Measuring, Passed = 1,
            Partial = [UnfinishedRuns.Fill(planned, Load, now)],
        };
        new ProgressFile(writer.DirectoryPath).Show(change?.Invoke(run) ?? run);
        return writer.DirectoryPath;
    }

    private static LatencyHistogram LatenciesOf(int count, double milliseconds)
    {
        var histogram = new LatencyHistogram();
        for (var index = 0; index < count; index++)
        {
            histogram.RecordNanoseconds((long)(milliseconds * 1_000_000));
        }

        return histogram;
    }

    private static Task<RunResult> ReadAsync(string directory) =>
        ResultJson.ReadFileAsync(Path.Combine(directory, "run.json"), Cancel);
}
