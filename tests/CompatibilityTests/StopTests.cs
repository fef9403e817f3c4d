using System.Diagnostics;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests;

/// <summary>A load that is stopped, or does not end by itself, is over when it should be.</summary>
public sealed class StopTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_days = TimeSpan.FromHours(72);

    /// <summary>On a busy machine.</summary>
    private static readonly TimeSpan s_atOnce = TimeSpan.FromSeconds(45);

    public static TheoryData<LoadSimulation[]> Long => new()
    {
        { [Simulation.Inject(1_000, s_second, s_days)] },
        { [Simulation.InjectRandom(900, 1_100, s_second, s_days)] },
        { [Simulation.IterationsForInject(1_000, s_second, 100_000_000)] },
        { [Simulation.RampingInject(2_000_000_000, s_second, s_days)] },
        { [Simulation.KeepConstant(2, s_days), Simulation.Inject(1_000, s_second, s_days)] },
        { [Simulation.Inject(40, s_second, s_second), Simulation.Pause(s_days),
            Simulation.Inject(1_000, s_second, s_days)] },
    };

    [Theory]
    [MemberData(nameof(Long), DisableDiscoveryEnumeration = true)]
    public async Task Stopped_session_returns_at_once_with_the_rate_it_had(LoadSimulation[] load)
    {
        var (started, stopped) = (0, 0L);
        var scenario = Scenario.Create("stopped", async context =>
        {
            await Task.Delay(1);
            if (Interlocked.Increment(ref started) == 30)
            {
                stopped = Stopwatch.GetTimestamp();
                context.StopCurrentTest("enough");
            }

            return Response.Ok();
        }).WithoutWarmUp().WithLoadSimulations(load);

        var result = await RunAsync(scenario);

        Assert.InRange(Stopwatch.GetElapsedTime(stopped), TimeSpan.Zero, s_atOnce);
        var stats = result.ScenarioStats.Single();
        Assert.InRange(stats.Ok.Request.Count, 30, 10_000);
        Assert.InRange(stats.Duration, TimeSpan.Zero, s_atOnce);
    }

    [Fact]
    public async Task Failures_that_stop_a_long_load_end_it_at_once()
    {
        var scenario = Scenario.Create("failing", _ => Task.FromResult<IResponse>(Response.Fail("500"))).WithoutWarmUp()
            .WithLoadSimulations(Simulation.Inject(1_000, s_second, s_days)).WithMaxFailCount(10);

        var result = await RunAsync(scenario);

        Assert.InRange(result.Duration, TimeSpan.Zero, s_atOnce);
        Assert.InRange(result.ScenarioStats.Single().Fail.Request.Count, 10, 5_000);
    }

    public static TheoryData<LoadSimulation> Hanging =>
    [
        Simulation.Inject(2, s_second, s_second), Simulation.KeepConstant(2, s_second),
        Simulation.RampingConstant(2, s_second),
        Simulation.IterationsForConstant(2, 2),
    ];

    [Theory]
    [JudgesRealTime]
    [MemberData(nameof(Hanging), DisableDiscoveryEnumeration = true)]
    public Task Iterations_have_the_completion_timeout_once(LoadSimulation load) => RealTime.HoldsAsync(() =>
    {
        var scenario = Scenario.Create("hanging", async _ =>
        {
            await Task.Delay(TimeSpan.FromSeconds(4), CancellationToken.None);
            return Response.Ok();
        }).WithoutWarmUp().WithLoadSimulations(load);

        var result = NBomberRunner.RegisterScenarios(scenario).WithScenarioCompletionTimeout(2 * s_second)
            .WithoutReports().Run();

        Assert.Equal((0, 2), (result.AllOkCount, result.AllFailCount));
        Assert.InRange(result.ScenarioStats.Single().Duration.TotalSeconds, 1.9, 3.7);
    });

    private static Task<NodeStats> RunAsync(ScenarioProps scenario) => Task.Run(
        () => NBomberRunner.RegisterScenarios(scenario).WithoutReports().DisplayConsoleMetrics(false).Run(), Cancel)
        .WaitAsync(TimeSpan.FromMinutes(1), Cancel);
}
