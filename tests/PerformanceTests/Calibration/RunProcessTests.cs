using System.Reflection;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTests.Calibration;

/// <summary><c>wfperf run</c> as a process on this assembly, as somebody uses it.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class RunProcessTests
{
    [Fact]
    public async Task Interrupted_process_writes_a_partial_result_and_exits_130()
    {
        var (here, tool) = (Assembly.GetExecutingAssembly().Location, ToolPath);
        Assert.SkipUnless(
            !OperatingSystem.IsWindows() && File.Exists(tool), $"Needs SIGINT, and {tool}: dotnet build Solution.sln.");
        var folder = Directory.CreateTempSubdirectory("wfperf-run-");
        try
        {
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    tool, "run", here, "--scenario", "signal-roundtrip-soak", "--rate", "100", "--duration", "60s",
                    "--warm-up", "10",
                    "--results", Path.Combine(folder.FullName, "results"),
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };

            using var process = StartAlone(start, folder);
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            var error = process.StandardError.ReadToEndAsync(Cancel);
            var file = await MeasuringAsync(process, output, Path.Combine(folder.FullName, "results"));
            using (Process.Start("kill", ["-INT", $"{process.Id}"]))
            {
                await process.WaitForExitAsync(Cancel);
            }

            Assert.True(process.ExitCode == 130, $"{process.ExitCode}: {await output}{await error}");
            Assert.DoesNotContain('\u001b', await output);
            AssertHolds(await output, "INCONCLUSIVE memory-signal-roundtrip-soak", "partial: interrupted after",
                "the results are partial");
            Assert.Equal(RunState.Interrupted, (await ProgressFile.ReadAsync(file, Cancel)).State);
            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.NotNull(run.Partial);
            Assert.NotNull(result.Partial);
            Assert.Equal((true, 0, 0), (result.Ledger!.Balanced, result.Ledger.Lost, result.Ledger.Stuck));
            Assert.Equal((result.Operations, result.Operations), (result.Ledger.Requested, result.Ledger.Completed));
            Assert.NotEmpty(BaselineRules.Choose(run, []).Refusals);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData("WORKFLOW_PERF_TRANSPORT", "rabbitmq", "wfperf: WORKFLOW_PERF_TRANSPORT is 'rabbitmq', and ",
        "with 'dotnet test ")]
    [InlineData(
        "WORKFLOW_PERF_PROVISION", "contaner", "wfperf: WORKFLOW_PERF_PROVISION: 'contaner' is unknown. Known: auto, ")]
    [InlineData(
        "WORKFLOW_PERF_POSTGRES", "Host=127.0.0.1;Port=1",
        "NOT AVAILABLE postgres-immediate-burst-smoke: ", " memory-immediate-burst-smoke ", "1 not available")]
    public async Task Setting_that_cannot_be_used_is_named_and_ends_with_2(
        string variable, string value, params string[] expected)
    {
        var (here, tool) = (Assembly.GetExecutingAssembly().Location, ToolPath);
        Assert.SkipUnless(File.Exists(tool), $"Needs {tool}: dotnet build Solution.sln.");
        var folder = Directory.CreateTempSubdirectory("wfperf-run-");
        try
        {
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    tool, "run", here, "--scenario", "immediate-burst-smoke", "--profile", "postgres", "--profile",
                    "memory",
                    "--results", Path.Combine(folder.FullName, "results"),
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };

            using var process = StartAlone(start, folder, "memory,postgres", (variable, value));
            var (output, error) =
                (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
            await process.WaitForExitAsync(Cancel);

            var all = await output + await error;
            Assert.True(process.ExitCode == 2, $"{process.ExitCode}: {all}");
            AssertHolds(all, expected);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <summary>The tool of the same build; it may not be there.</summary>
    internal static string ToolPath => Path.Combine(
        Checkout.Root, "src", "LoadTesting", "Tool", "bin", Path.GetRelativePath(
            Path.Combine(Checkout.Root, "tests", "PerformanceTests", "bin"),
            Path.GetDirectoryName(Assembly.GetExecutingAssembly().Location)!), "LoadTesting.Tool.dll");

    /// <summary>
    /// Starts a process with temporary files of its own, for the lock between test runs is there, and these tests hold
    /// it; and with memory for its only backend: a run starts the servers of all that it may have, to say which are
    /// available.
    /// </summary>
    internal static Process StartAlone(
        ProcessStartInfo start, DirectoryInfo folder, string profiles = "memory",
        (string Variable, string Value)? setting = null)
    {
        start.Environment["TMPDIR"] = folder.FullName;
        start.Environment["WORKFLOW_PERF_PROFILES"] = profiles;
        start.Environment.Remove("WORKFLOW_PERF_REQUIRE"); // Of a machine that must have servers: this run has none.
        start.Environment.Remove("WORKFLOW_PERF_TRANSPORT");
        if (setting is var (variable, value))
        {
            start.Environment[variable] = value;
        }

        return Process.Start(start)!;
    }

    /// <summary>The run's file, once it says that iterations have started.</summary>
    internal static async Task<string> MeasuringAsync(Process process, Task<string> output, string results)
    {
        while (!process.HasExited)
        {
            await Task.Delay(50, Cancel);
            var file = Directory.Exists(results)
                ? Directory.EnumerateFiles(results, ProgressFile.FileName, SearchOption.AllDirectories).FirstOrDefault()
                : null;
            if (file is not null
                && (await ProgressFile.ReadAsync(file, Cancel)).Scenarios is [{ Completed: > 20, P50Ms: not null }])
            {
                return file;
            }
        }

        throw new InvalidOperationException($"The process ended with {process.ExitCode} before it "
            + $"measured anything: {await output}");
    }
}
