using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Pacing;

[Collection(TimedCollection.Name)]
public sealed class MixedLoadTests
{
    private static readonly TimeSpan s_half = TimeSpan.FromMilliseconds(500);

    [Fact]
    public Task Only_arrivals_of_a_mixed_load_have_a_lag() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Scenario.Create("mixed", async context =>
        {
            await Step.Run("step", context, async () =>
            {
                await Task.Delay(20);
                return Response.Ok();
            });
            return Response.Ok();
        }).WithMixedLoadSimulations(
            Simulation.KeepConstant(4, s_half),
            Simulation.Inject(30, s_half, s_half),
            Simulation.IterationsForConstant(2, 7),
            Simulation.Inject(10, s_half, s_half)));

        Runs.Balances(result);
        Assert.Equal(LoadModel.Open, result.Model);
        Assert.Equal((40, 0, 0), (result.ScheduleLag.Count, result.Dropped, result.Unfinished));
        Assert.Equal(40, result.Step("step").ScheduleLag.Count);
        Assert.InRange(result.Started, 40 + 7 + 4, 40 + 7 + (4 * 26));
        Assert.Equal((result.Started, result.Started), (result.Ok.Response.Count, result.Ok.Service.Count));
    });

    [Fact]
    public Task Arrivals_do_not_wait_for_the_copies_before_them() => RealTime.HoldsAsync(async () =>
    {
        var starts = new System.Collections.Concurrent.ConcurrentQueue<(bool IsArrival, double LagMs)>();

        await Runs.OneAsync(Scenario.Create("mixed", async context =>
        {
            var lag = TimeSpan.FromSeconds(
                (context.StartTimestamp - context.IntendedTimestamp) / (double)Stopwatch.Frequency);
            starts.Enqueue((context.IterationNumber >= 64, lag.TotalMilliseconds));
            await Task.Delay(context.IterationNumber >= 64 ? 1 : 2_000);
            return Response.Ok();
        }).WithMixedLoadSimulations(Simulation.KeepConstant(1, s_half), Simulation.Inject(20, s_half, s_half)));

        Assert.Equal(20, starts.Count(start => start.IsArrival));
        Assert.InRange(starts.Where(start => start.IsArrival).Max(start => start.LagMs), double.MinValue, 1_200);
    });

    [Fact]
    public void Mixed_load_needs_something_that_starts()
    {
        var scenario = Scenario.Create("mixed", _ => Runs.Ok);

        Assert.Throws<ArgumentException>(() => scenario.WithMixedLoadSimulations());
        Assert.Throws<ArgumentException>(() => scenario.WithMixedLoadSimulations(Simulation.Pause(s_half)));
    }

    [Fact]
    public async Task Scenario_can_stop_another_one()
    {
        var steady = Scenario.Create("steady", _ => Runs.Ok)
            .WithLoadSimulations(Simulation.Inject(100, TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(10)));
        var copies = Scenario.Create("copies", async _ =>
        {
            await Task.Delay(1);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.KeepConstant(2, TimeSpan.FromMinutes(10)));
        var stopping = Runs.Iterations(1, 30, async context =>
        {
            await Task.Delay(5);
            if (context.InvocationNumber == 3)
            {
                context.StopScenario("steady", "enough");
                context.StopScenario("copies", "enough too");
                context.StopScenario("copies", "the first reason stays");
            }

            return Response.Ok();
        });

        var result = await new LoadRunner().RunAsync([steady, copies, stopping], new LoadOptions(), Cancel);

        Assert.Null(result.StopReason);
        Assert.InRange(result.Duration, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        Assert.Equal(["enough", "enough too", null], result.Scenarios.Select(scenario => scenario.StopReason));
        Assert.Equal(60_000, result.Scenario("steady").Requested);
        Assert.Equal(result.Scenario("steady").Dropped, result.Scenario("steady").DroppedAfterStop);
        Assert.Equal(30, result.Scenario("iterations").Ok.Count);
        Assert.All(result.Scenarios, Runs.Balances);
    }

    [Fact]
    public async Task A_scenario_that_was_stopped_in_its_warm_up_has_no_load()
    {
        var result = await Runs.OneAsync(Scenario.Create("stopped", context =>
        {
            context.StopScenario("stopped", "not needed");
            return Runs.Ok;
        }).WithWarmUpDuration(TimeSpan.FromSeconds(20)).WithLoadSimulations(Simulation.IterationsForConstant(1, 5)));

        Assert.Equal((0, 5, "not needed"), (result.Started, result.DroppedAfterStop, result.StopReason));
    }

    [Fact]
    public async Task Stopping_an_unknown_scenario_fails_with_the_known_ones()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 1, context =>
        {
            context.StopScenario("other", "why not");
            return Runs.Ok;
        }));

        Assert.Contains(
            "no scenario 'other' to stop, only 'iterations'", result.Errors.Single().Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Empty_scenario_is_in_no_result()
    {
        var calls = new List<string>();
        Func<IScenarioInitContext, Task> Note(string call) => _ =>
        {
            calls.Add(call);
            return Task.CompletedTask;
        };

        var result = await new LoadRunner().RunAsync(
            [
                Scenario.Empty("database").WithInit(Note("database")).WithClean(Note("drop")),
                Runs.Iterations(1, 2, _ => Runs.Ok).WithInit(Note("connect")),
            ],
            new LoadOptions(),
            Cancel);

        Assert.Equal(["database", "connect", "drop"], calls);
        Assert.Equal("iterations", result.Scenarios.Single().Name);
    }

    [Fact]
    public async Task Empty_scenarios_alone_are_refused()
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(() =>
            new LoadRunner().RunAsync([Scenario.Empty("database")], new LoadOptions(), Cancel));

        Assert.Contains("All scenarios are empty", error.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(
            () => Scenario.Empty("database").WithLoadSimulations(Simulation.Pause(s_half)));
    }

    [Fact]
    public async Task Sizes_are_spread_over_the_responses_that_named_any()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 300, context => Task.FromResult<IResponse>(
            Response.Ok(sizeBytes: context.IterationNumber % 3 * 1_000))));

        var sizes = result.Ok.Sizes;
        Assert.Equal((200, 1_000, 2_000, 300_000), (sizes.Count, sizes.MinBytes, sizes.MaxBytes, result.Ok.SizeBytes));
        Assert.Equal(1_500, sizes.MeanBytes, 0.001);
        Assert.Equal(500, sizes.StandardDeviationBytes, 30.0);
        Assert.InRange(sizes.PercentileBytes(50), 990, 1_010);
        Assert.Equal(2_000, sizes.PercentileBytes(99));
        Assert.Equal((0, 0), (result.Fail.Sizes.Count, result.Fail.Sizes.MaxBytes));
    }

    [Fact]
    public void Standard_deviation_is_that_of_all_durations()
    {
        var histogram = new LatencyHistogram();
        Assert.Equal(double.NaN, histogram.StandardDeviationMs);
        for (var ms = 1; ms <= 1_000; ms++)
        {
            histogram.Record(TimeSpan.FromMilliseconds(ms));
        }

        Assert.Equal(288.675, histogram.StandardDeviationMs, 0.1);
    }
}
