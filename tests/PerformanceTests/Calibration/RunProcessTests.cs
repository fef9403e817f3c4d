using System.Reflection;
using LoadTesting.Core.Reporting.Live;
using PerformanceTesting.Processes;

namespace PerformanceTests.Calibration;

/// <summary><c>wfperf run</c> as a process on this assembly, as somebody uses it.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class RunProcessTests
{
    [Fact]
    public async Task Interrupted_process_writes_a_partial_result_whose_account_balances_and_ends_with_130()
    {
        var here = Assembly.GetExecutingAssembly().Location;
        var tool = Path.Combine(
            Checkout.Root, "src", "LoadTesting", "Tool", "bin", Path.GetRelativePath(Path.Combine(
                Checkout.Root, "tests", "PerformanceTests", "bin"), Path.GetDirectoryName(here)!), "LoadTesting.Tool.dll");
        Assert.SkipUnless(!OperatingSystem.IsWindows() && File.Exists(tool), $"Needs SIGINT, and {tool}: dotnet build Solution.sln.");
        var folder = Directory.CreateTempSubdirectory("wfperf-run-");
        try
        {
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    tool, "run", here, "--scenario", "signal-roundtrip-soak", "--rate", "100", "--duration", "60s", "--warm-up", "10",
                    "--results", Path.Combine(folder.FullName, "results"),
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };

            // The lock between test runs is in the temporary directory, and these tests hold it.
            start.Environment["TMPDIR"] = folder.FullName;
            using var process = Process.Start(start)!;
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            var error = process.StandardError.ReadToEndAsync(Cancel);
            var file = await MeasuringAsync(process, output, Path.Combine(folder.FullName, "results"));
            using (Process.Start("kill", ["-INT", $"{process.Id}"]))
            {
                await process.WaitForExitAsync(Cancel);
            }

            Assert.True(process.ExitCode == 130, $"{process.ExitCode}: {await output}{await error}");
            Assert.DoesNotContain('\u001b', await output);
            AssertHolds(await output, "INCONCLUSIVE memory-signal-roundtrip-soak", "partial: interrupted after", "the results are partial");
            Assert.Equal(RunState.Interrupted, (await ProgressFile.ReadAsync(file, Cancel)).State);
            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.NotNull(run.Partial);
            Assert.NotNull(result.Partial);
            Assert.Equal((true, 0, 0), (result.Ledger!.Balanced, result.Ledger.Lost, result.Ledger.Stuck));
            Assert.Equal((result.Operations, result.Operations), (result.Ledger.Requested, result.Ledger.Completed));
            Assert.NotEmpty(BaselineRules.Refusals(run, allowDirty: true));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
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
            if (file is not null && (await ProgressFile.ReadAsync(file, Cancel)).Scenarios is [{ Completed: > 20 }])
            {
                return file;
            }
        }

        throw new InvalidOperationException($"The process ended with {process.ExitCode} before it measured anything: {await output}");
    }
}

/// <summary>MSBuild kills test hosts on Ctrl+C: they can write nothing any more.</summary>
[Trait(TierNames.Trait, TierNames.Extended)]
public sealed class KilledRunTests
{
    [Fact]
    public async Task Killed_test_host_leaves_a_run_of_which_the_next_to_find_it_makes_a_partial_result()
    {
        var folder = Directory.CreateTempSubdirectory("wfperf-killed-");
        try
        {
            var results = Path.Combine(folder.FullName, "results");
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    "test", Assembly.GetExecutingAssembly().Location, "--filter",
                    "FullyQualifiedName~SoakTests.Signal_roundtrip&DisplayName~memory",
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };
            foreach (var (name, value) in new[]
            {
                ("TMPDIR", folder.FullName), ("WORKFLOW_PERF_RESULTS", results), ("WORKFLOW_PERF_PROFILES", "memory"),
                ("WORKFLOW_PERF_DURATION", "30s"),
            })
            {
                start.Environment[name] = value;
            }

            start.Environment.Remove("WORKFLOW_PERF_REQUIRE"); // Of a machine that must have servers: this run has none.

            using var process = Process.Start(start)!;
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            _ = process.StandardError.ReadToEndAsync(Cancel);
            var file = await RunProcessTests.MeasuringAsync(process, output, results);
            var host = (await ProgressFile.ReadAsync(file, Cancel)).Process.Id;
            Assert.NotEqual(Environment.ProcessId, host);
            using (var killed = Process.GetProcessById(host))
            {
                killed.Kill();
            }

            process.Kill(entireProcessTree: true); // It would wait for its test host.
            await process.WaitForExitAsync(Cancel);
            var before = await ProgressFile.ReadAsync(file, Cancel);
            Assert.Equal(RunState.Running, before.State);

            AssertHolds(Assert.Single(await UnfinishedRuns.FinishAsync(results, Cancel)), "its process was killed", "while it measured");

            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.Equal(("memory-signal-roundtrip-soak", VerdictOutcome.Inconclusive), (result.Name, result.Verdict.Outcome));
            Assert.Equal((run.Partial, before.Scenarios[0].Completed), (result.Partial, result.Latency.N));
            Assert.NotEmpty(BaselineRules.Refusals(run, allowDirty: true));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
