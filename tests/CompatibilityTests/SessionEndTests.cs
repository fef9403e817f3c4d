using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using Microsoft.Extensions.Configuration;

namespace CompatibilityTests;

/// <summary>How a session ends, and how one does that has nothing to load.</summary>
public sealed class SessionEndTests
{
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(200);

    /// <summary>Long enough for an iteration to begin on a busy machine.</summary>
    private static readonly TimeSpan s_schedule = TimeSpan.FromSeconds(2);

    [Fact]
    public void Tidying_up_that_fails_is_logged_and_the_result_is_kept()
    {
        var folder = Path.Combine(Path.GetTempPath(), $"failing-clean-{Guid.NewGuid():N}");
        var scenario = Scenario.Create("untidy", _ => Task.FromResult<IResponse>(Response.Ok()))
            .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 3))
            .WithClean(_ => throw new InvalidOperationException("no database"));

        var result = NBomberRunner.RegisterScenarios(scenario).WithReportFolder(folder).Run();

        Assert.Equal((3, 4), (result.AllOkCount, result.ReportFiles.Length));
        var log = File.ReadAllText(Directory.GetFiles(folder, "nbomber-log-*").Single());
        Assert.Contains("Scenario untidy failed in WithClean", log);
        Assert.Contains("no database", log);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void Scenarios_that_only_prepare_and_tidy_up_are_run()
    {
        var calls = new List<string>();
        Func<IScenarioInitContext, Task> Note(string call) => context =>
        {
            calls.Add($"{call} {context.ScenarioInfo.ScenarioName}");
            return Task.CompletedTask;
        };

        var result = NBomberRunner.RegisterScenarios(
                Scenario.Empty("schema").WithInit(Note("init")).WithClean(Note("clean")),
                Scenario.Empty("rows").WithInit(Note("init")))
            .WithReportingSinks(new NoSink()).WithoutReports().Run();

        Assert.Equal(["init schema", "init rows", "clean schema"], calls);
        Assert.Equal((0, 0, 0), (result.ScenarioStats.Length, result.AllRequestCount, result.Measured.Scenarios.Count));
    }

    [Fact]
    public void Scenarios_that_only_prepare_fail_with_their_reason()
    {
        var scenario = Scenario.Empty("schema").WithInit(_ => throw new InvalidOperationException("no database"));

        var exception = Assert.Throws<InvalidOperationException>(
            () => NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run());

        Assert.Contains("Scenario 'schema' failed in WithInit: no database", exception.Message);
    }

    public static TheoryData<LoadSimulation> Schedules =>
        [Simulation.KeepConstant(1, s_schedule), Simulation.Inject(1, s_schedule, s_schedule)];

    /// <summary>Without the signal it would go on until the completion timeout, which is never.</summary>
    [Theory]
    [MemberData(nameof(Schedules), DisableDiscoveryEnumeration = true)]
    public async Task Iteration_is_cancelled_at_the_end_of_its_schedule(LoadSimulation schedule)
    {
        var scenario = Scenario.Create("looping", async context =>
        {
            context.ScenarioCancellationToken
                .Register(() => throw new InvalidOperationException("a callback's own failure"));
            while (!context.ScenarioCancellationToken.IsCancellationRequested)
            {
                await Task.Delay(1);
            }

            return Response.Ok();
        }).WithoutWarmUp().WithLoadSimulations(schedule);

        var result = await RunAsync(scenario);

        Assert.Equal((1, 0), (result.AllOkCount, result.AllFailCount));
        Assert.Equal(0, result.Measured.Scenarios.Single().Unfinished);
    }

    [Fact]
    public async Task Request_in_flight_at_the_end_of_the_schedule_has_failed()
    {
        var scenario = Scenario.Create("waiting", async context =>
        {
            await Task.Delay(Timeout.Infinite, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithWarmUpDuration(s_moment).WithLoadSimulations(Simulation.KeepConstant(2, s_schedule)).WithMaxFailCount(1);

        var result = await RunAsync(scenario);

        Assert.Null(result.Measured.StopReason);
        Assert.Equal(2, result.ScenarioStats.Single().Fail.StatusCodes.Get("-100").Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Iterations_are_cancelled_when_the_test_is_stopped(bool stopsTest)
    {
        var scenario = Scenario.Create("stopping", async context =>
        {
            if (context.ScenarioInfo.InstanceNumber == 1 && stopsTest)
            {
                context.StopCurrentTest("enough");
            }
            else if (context.ScenarioInfo.InstanceNumber == 1)
            {
                context.StopScenario("stopping", "enough");
            }

            await Task.Delay(Timeout.Infinite, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(2, 10));

        var result = await RunAsync(scenario);

        Assert.Equal((0, result.AllFailCount), (result.AllOkCount, (int)result.Measured.Scenarios.Single().Started));
    }

    [Fact]
    public async Task Last_of_a_number_of_iterations_is_not_cancelled()
    {
        var scenario = Scenario.Create("counted", async context =>
        {
            await Task.Delay(s_moment, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForInject(5, TimeSpan.FromMilliseconds(5), 5));

        var result = await RunAsync(scenario);

        Assert.Equal((5, 0), (result.AllOkCount, result.AllFailCount));
    }

    private static Task<NodeStats> RunAsync(ScenarioProps scenario) =>
        Task.Run(() => NBomberRunner.RegisterScenarios(scenario)
        .WithScenarioCompletionTimeout(TimeSpan.FromHours(1)).WithoutReports().Run(), Cancel)
        .WaitAsync(TimeSpan.FromMinutes(1), Cancel);

    private sealed class NoSink : IReportingSink
    {
        public string SinkName => nameof(NoSink);

        public Task Init(IBaseContext context, IConfiguration infraConfig) => Task.CompletedTask;

        public Task SaveRealtimeStats(ScenarioStats[] stats) => Task.CompletedTask;

        public Task SaveFinalStats(NodeStats stats) => Task.CompletedTask;

        public Task Stop() => Task.CompletedTask;

        public void Dispose()
        {
        }
    }
}
