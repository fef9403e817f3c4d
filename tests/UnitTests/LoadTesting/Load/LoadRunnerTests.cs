namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class LoadRunnerTests
{
    [Fact]
    public async Task Init_load_and_clean_follow_each_other()
    {
        var firsts = new System.Collections.Concurrent.ConcurrentQueue<ScenarioOperation>();
        var seen = new System.Collections.Concurrent.ConcurrentDictionary<ScenarioOperation, bool>();

        var result = await Runs.OneAsync(Scenario.Create("all", context =>
        {
            Note(context.ScenarioInfo.ScenarioOperation);
            return Runs.Ok;
        })
            .WithInit(context => Note(context.ScenarioInfo.ScenarioOperation))
            .WithClean(context => Note(context.ScenarioInfo.ScenarioOperation))
            .WithWarmUpDuration(TimeSpan.FromMilliseconds(50))
            .WithLoadSimulations(Simulation.IterationsForConstant(2, 6)));

        Assert.Equal(6, result.Ok.Count);
        Assert.Equal(
            [ScenarioOperation.Init, ScenarioOperation.WarmUp, ScenarioOperation.Bombing, ScenarioOperation.Clean],
            firsts);

        Task Note(ScenarioOperation operation)
        {
            if (seen.TryAdd(operation, true))
            {
                firsts.Enqueue(operation);
            }

            return Task.CompletedTask;
        }
    }

    [Fact]
    public async Task A_failed_init_names_the_scenario_and_still_tidies_up()
    {
        var cleaned = 0;

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => Runs.OneAsync(
            Runs.Iterations(1, 1, _ => Runs.Ok)
                .WithInit(_ => throw new TimeoutException("server is not there"))
                .WithClean(_ =>
                {
                    cleaned++;
                    return Task.CompletedTask;
                })));

        Assert.Contains(
            "'iterations' failed in WithInit: server is not there", error.Message, StringComparison.Ordinal);
        Assert.IsType<TimeoutException>(error.InnerException);
        Assert.Equal(1, cleaned);
    }

    [Fact]
    public async Task Cancellation_stops_the_schedule_and_the_bodies()
    {
        using var cancel = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var cleaned = 0;
        var scenario = Runs.Inject(10, TimeSpan.FromMinutes(10), async context =>
        {
            await cancel.CancelAsync();
            await Task.Delay(Timeout.Infinite, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithClean(_ =>
        {
            cleaned++;
            return Task.CompletedTask;
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            new LoadRunner().RunAsync([scenario], new LoadOptions(), cancel.Token));

        Assert.Equal(1, cleaned);
    }

    [Fact]
    public async Task Body_can_stop_the_whole_test()
    {
        var run = await new LoadRunner().RunAsync(
            [
                Runs.Inject(1_000, TimeSpan.FromMinutes(10), context =>
                {
                    if (context.IterationNumber == 5)
                    {
                        context.StopCurrentTest("seen enough");
                    }

                    return Runs.Ok;
                }),
                Scenario.Create("other", _ => Runs.Ok)
                    .WithLoadSimulations(Simulation.KeepConstant(1, TimeSpan.FromMinutes(10))),
            ],
            new LoadOptions(),
            Cancel);

        Assert.Equal("scenario 'inject': seen enough", run.StopReason);
        var result = run.Scenario("inject");
        Assert.Equal(600_000, result.Requested);
        Assert.Equal(result.Dropped, result.DroppedAfterStop);
        Assert.InRange(run.Duration, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        Assert.All(run.Scenarios, Runs.Balances);
    }

    [Fact]
    public async Task Only_values_of_an_iteration_are_cleared()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 5, context =>
        {
            Assert.Empty(context.Data);
            context.Data["iteration"] = context.IterationNumber;
            context.ScenarioInstanceData["count"] =
                context.ScenarioInstanceData.TryGetValue("count", out var count) ? (int)count + 1 : 1;
            Assert.Equal(context.InvocationNumber, (int)context.ScenarioInstanceData["count"]);
            Assert.Equal("iterations_0", context.ScenarioInfo.InstanceId);
            return Runs.Ok;
        }));

        Assert.Equal(5, result.Ok.Count);
    }

    [Fact]
    public async Task Randomness_of_a_copy_is_repeated_by_the_same_seed()
    {
        var first = await DrawAsync(seed: 7);

        Assert.Equal(first, await DrawAsync(seed: 7));
        Assert.NotEqual(first, await DrawAsync(seed: 8));
    }

    [Fact]
    public async Task Unknown_name_is_answered_with_the_known_ones()
    {
        var run = await new LoadRunner()
            .RunAsync([Runs.Iterations(1, 1, _ => Runs.Ok)], new LoadOptions(), Cancel);

        Assert.Contains(
            "only 'iterations'", Assert.Throws<KeyNotFoundException>(() => run.Scenario("orders")).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "no step 'start'", Assert.Throws<KeyNotFoundException>(() => run.Scenarios[0].Step("start")).Message,
            StringComparison.Ordinal);
    }

    private static async Task<List<int>> DrawAsync(int seed)
    {
        var drawn = new List<int>();
        await Runs.OneAsync(
            Runs.Iterations(1, 5, context =>
            {
                drawn.Add(context.Random.Next());
                return Runs.Ok;
            }),
            new LoadOptions { Seed = seed });
        return drawn;
    }
}
