using LoadTesting.Core.Agents;
using PerformanceTesting;

namespace PerformanceTests.Calibration;

/// <summary>A soak that several processes share means what one without them means.</summary>
[Trait(TierNames.Trait, TierNames.Extended)]
public sealed class AgentRunSoakTests(RunFixture run) : AgentProcesses
{
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(2);

    /// <summary>The memory store keeps every instance that completed, so that its service grows; and one start is sent twice.</summary>
    [Fact]
    public async Task Leak_of_the_service_ends_the_load_of_all_agents_with_its_slope()
    {
        await using var coordinator = new AgentCoordinator(new()
        {
            Agents = 2, Token = Token, PrepareTimeout = TimeSpan.FromMinutes(1), SilenceTimeout = TimeSpan.FromSeconds(30),
        });
        using var first = Start("agent", "--name", "first", $"127.0.0.1:{coordinator.Port}");
        using var second = Start("agent", "--name", "second", $"127.0.0.1:{coordinator.Port}");
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [new SignalRoundTripSoakScenario(SignalRoundTripSoakScenario.Soak, Longest) { WarmUp = 100 }],
            Backend = await run.Catalog.OpenAsync("memory", Cancel),
            Hosting = HostingKind.Http,
            Definitions = PerformanceTesting.PerformanceRun.Definitions,
            Injection = Injection.Parse("leak"),
            Agents = coordinator,
            Asked = new AgentTask
            {
                Scenario = "signal-roundtrip-soak-http", Profile = "memory", Build = typeof(PerformanceCatalogue).Module.ModuleVersionId,
                Duration = Longest, WarmUpOperations = 100,
            },
            Leaks = new()
            {
                Shortest = TimeSpan.FromSeconds(15), Every = TimeSpan.FromSeconds(1), Interval = TimeSpan.FromMilliseconds(200),
                MemoryFloorBytes = 1 << 20,
            },
        };
        ScenarioResult total;
        try
        {
            total = (await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel)).Total;
            await coordinator.DisposeAsync();
            await Task.WhenAll(first.WaitForExitAsync(Cancel), second.WaitForExitAsync(Cancel));
        }
        finally
        {
            first.Kill();
            second.Kill();
        }

        var reasons = string.Join('\n', total.Verdict.Reasons);
        TestContext.Current.TestOutputHelper?.WriteLine(reasons);
        Assert.Equal((0, 0, VerdictOutcome.Failed), (first.ExitCode, second.ExitCode, total.Verdict.Outcome));
        AssertHolds(reasons, "the load ended before its time: a leak is proven: workingSet grows by ", " MB an hour");
        AssertHolds(reasons, $"the service took {total.Ledger!.Completed + 1} instances for {total.Ledger.Completed} operations");
        Assert.True(
            total.Validity!.Leaks!.Single(leak => leak.Name == "workingSet") is { Leaks: true } leak && leak.GrowthLow > leak.Limit);
        Assert.Equal((1, 0, 0, 0), (total.Ledger.Waiting, total.Ledger.Stuck, total.Ledger.Lost, total.Ledger.Duplicate));
        Assert.Equal(total.Ledger.Requested, total.Generator!.Agents!.Sum(agent => agent.Requested));
        Assert.InRange(total.DurationMs, 15_000, Longest.TotalMilliseconds - 1);
        string[] judged = ["p95Slope", "queueDepthSlope", .. from agent in (string[])["first", "second"]
            from what in (string[])["workingSet", "handles"] select $"{agent}.{what}Slope"];
        Assert.Equal(
            judged.Order(StringComparer.Ordinal),
            total.Validity.Checks.Where(check => check.Value is not null).Select(check => check.Name).Intersect(judged)
                .Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Soak_whose_run_was_killed_goes_on_with_the_rest_on_new_agents()
    {
        string[] soak =
        [
            "--scenario", "signal-roundtrip-soak-http", "--duration", "12s", "--warm-up", "10", "--agents", "2", "--results", Results,
        ];
        using (var killed = Start("run", soak))
        {
            _ = killed.StandardOutput.ReadToEndAsync(Cancel);
            _ = killed.StandardError.ReadToEndAsync(Cancel);
            await Eventually.HoldsAsync(
                () => killed.HasExited || (File.Exists(Journal) && File.ReadAllLines(Journal).Length > 1), "an interval of the soak");
            Assert.False(killed.HasExited);
            killed.Kill();
        }

        using var process = Start("run", ("WORKFLOW_PERF_RESUME", "1"), soak);
        var (resumed, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        await process.WaitForExitAsync(Cancel);

        Assert.True(process.ExitCode is 0 or 3, $"{process.ExitCode}: {await resumed}{await error}");
        var result = Assert.Single((await ResultJson.ReadFileAsync(Path.Combine(Results, "latest", "run.json"), Cancel)).Scenarios);
        Assert.Equal([true, false], result.Segments!.Select(segment => segment.Died));
        Assert.All(
            result.Segments!, segment => Assert.True(segment is { Completed: > 0, Failed: 0, Latency.N: > 0, DurationMs: >= 5_000 }));
        Assert.Equal((result.Ledger!.Requested, true), (result.Segments![1].Completed, result.Ledger.Balanced));
        Assert.InRange(result.DurationMs, 5_000, 11_000);
        Assert.Equal(2, result.Generator!.Agents!.Count);
        Assert.Contains("\"Ended\":true", File.ReadAllLines(Journal)[^1], StringComparison.Ordinal);
    }

    private string Journal => Path.Combine(Results, "soak", "memory-signal-roundtrip-soak-http.jsonl");
}
