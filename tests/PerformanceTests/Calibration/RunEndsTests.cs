using System.Reflection;
using Foundation;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTests.Calibration;

/// <summary><c>dotnet test</c> on this assembly, which is told to end while it measures.</summary>
public sealed class RunEndsTests
{
    /// <summary>
    /// The load ends within 5 s; a busy machine takes longer to write its result and to end four processes.
    /// </summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(0, "TERM")]
    [InlineData(3, "TERM")]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public Task Run_ends_when_it_or_what_started_it_does(int above, string signal) => AssertEndsAsync(above, signal);

    [Theory]
    [InlineData(1, "KILL")]
    [InlineData(2, "TERM")]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public Task Run_ends_when_a_process_in_between_does(int above, string signal) => AssertEndsAsync(above, signal);

    /// <param name="above">
    /// How many processes above the one that measures: its test host, then vstest.console, then dotnet test.
    /// </param>
    /// <param name="signal">What that process is sent.</param>
    private static async Task AssertEndsAsync(int above, string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Needs /proc, which shows who started the process that measures.");
        var folder = Directory.CreateTempSubdirectory("wfperf-ends-");
        try
        {
            var results = Path.Combine(folder.FullName, "results");
            using var process = RunProcessTests.StartAlone(Command(results), folder);
            var (output, error) = (
                process.StandardOutput.ReadToEndAsync(Cancel),
                process.StandardError.ReadToEndAsync(Cancel));
            var file = await RunProcessTests.MeasuringAsync(process, output, results);
            var chain = Chain((await ProgressFile.ReadAsync(file, Cancel)).Process.Id, process.Id);
            Assert.Equal(4, chain.Count);

            var told = Stopwatch.GetTimestamp();
            await SendAsync(chain[above], signal);

            await Eventually.HoldsAsync(() => chain.All(started => !started.IsAlive), "all that was started to end");
            Assert.InRange(Stopwatch.GetElapsedTime(told), TimeSpan.Zero, Longest);
            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.NotNull(run.Partial);
            Assert.NotNull(result.Partial);
            Assert.Equal((true, 0, 0), (result.Ledger!.Balanced, result.Ledger.Lost, result.Ledger.Stuck));
            Assert.InRange(result.DurationMs, 1, 25_000);
            await process.WaitForExitAsync(Cancel);
            Assert.True(process.ExitCode != 0, $"{await output}{await error}");
            if (above == 0)
            {
                AssertHolds(
                    await output,
                    $"The run was told to end: the process received SIG{signal}.",
                    "Failed:     1, Passed:     0");
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public async Task Second_signal_kills_the_process_that_measures()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Needs /proc, which shows who started the process that measures.");
        var folder = Directory.CreateTempSubdirectory("wfperf-ends-");
        try
        {
            var results = Path.Combine(folder.FullName, "results");
            using var process = RunProcessTests.StartAlone(Command(results), folder);
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            _ = process.StandardError.ReadToEndAsync(Cancel);
            var file = await RunProcessTests.MeasuringAsync(process, output, results);
            var chain = Chain((await ProgressFile.ReadAsync(file, Cancel)).Process.Id, process.Id);

            var told = Stopwatch.GetTimestamp();
            await SendAsync(chain[0], "TERM");
            await SendAsync(chain[0], "TERM");

            await Eventually.HoldsAsync(() => !chain[0].IsAlive, "the process that measures to end");
            Assert.InRange(Stopwatch.GetElapsedTime(told), TimeSpan.Zero, Longest);
            process.Kill(entireProcessTree: true); // The test host waits 40 s for a process that is gone.
            await process.WaitForExitAsync(Cancel);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <summary>A soak, which lasts for half a minute unless it is told to end.</summary>
    internal static ProcessStartInfo Command(string results)
    {
        var start = new ProcessStartInfo(
            "dotnet",
            [
                "test", Assembly.GetExecutingAssembly().Location, "--filter",
                "FullyQualifiedName~SoakTests.Signal_roundtrip&DisplayName~memory",
            ])
        { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["WORKFLOW_PERF_RESULTS"] = results;
        start.Environment["WORKFLOW_PERF_DURATION"] = "30s";
        return start;
    }

    private static async Task SendAsync(ProcessOwner process, string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", $"{process.Id}"]);
        await kill.WaitForExitAsync(Cancel);
    }

    /// <summary>From a process up to the one that started all.</summary>
    private static List<ProcessOwner> Chain(int from, int to)
    {
        var chain = new List<ProcessOwner> { ProcessOwner.Of(from)! };
        while (chain[^1].Id != to)
        {
            chain.Add(chain[^1].FindParent()!);
        }

        return chain;
    }
}
