using LoadTesting.Core.Reporting.Live;

namespace PerformanceTests.Calibration;

/// <summary>MSBuild kills test hosts on Ctrl+C: they can write nothing any more.</summary>
[Trait(TierNames.Trait, TierNames.Extended)]
public sealed class KilledRunTests
{
    [Fact]
    public async Task Run_of_a_killed_test_host_becomes_a_partial_result()
    {
        var folder = Directory.CreateTempSubdirectory("wfperf-killed-");
        try
        {
            var results = Path.Combine(folder.FullName, "results");
            using var process = RunProcessTests.StartAlone(RunEndsTests.Command(results), folder);
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            _ = process.StandardError.ReadToEndAsync(Cancel);
            var file = await RunProcessTests.MeasuringAsync(process, output, results);
            var host = (await ProgressFile.ReadAsync(file, Cancel)).Process;
            Assert.NotEqual(Environment.ProcessId, host.Id);
            using (var killed = Process.GetProcessById(host.Id))
            {
                killed.Kill();
            }

            process.Kill(entireProcessTree: true); // It would wait for its test host.
            await process.WaitForExitAsync(Cancel);
            await Eventually.HoldsAsync(() => !host.IsAlive, "the test host to be gone");
            var before = await ProgressFile.ReadAsync(file, Cancel);
            Assert.Equal(RunState.Running, before.State);

            AssertHolds(Assert.Single(await UnfinishedRuns.FinishAsync(results, Cancel)), "its process was killed",
                "while it measured");

            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.Equal(
                ("memory-signal-roundtrip-soak", VerdictOutcome.Inconclusive), (result.Name, result.Verdict.Outcome));
            Assert.Equal(run.Partial, result.Partial);
            Assert.InRange(result.Latency.N, 1, before.Scenarios[0].Completed); // Latencies follow by the second.
            Assert.NotEmpty(BaselineRules.Choose(run, []).Refusals);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
