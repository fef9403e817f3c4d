using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Pacing;

[Collection(TimedCollection.Name)]
public sealed class OpenChainTests
{
    private static readonly TimeSpan s_tenth = TimeSpan.FromMilliseconds(100);

    [Fact]
    public async Task Chained_open_loads_share_one_schedule()
    {
        var intended = new ConcurrentBag<long>();
        LoadSimulation[] chain =
        [
            Simulation.RampingInject(20, s_tenth, 3 * s_tenth),
            Simulation.InjectRandom(5, 15, s_tenth, 2 * s_tenth, seed: 9),
            Simulation.Pause(2 * s_tenth),
            Simulation.IterationsForInject(10, s_tenth, 12),
        ];

        var result = await Runs.OneAsync(Scenario.Create("chain", context =>
        {
            intended.Add(context.IntendedTimestamp);
            return Runs.Ok;
        }).WithLoadSimulations(chain));

        var tenth = Stopwatch.Frequency / 10;
        var expected = Offsets.OfLast(chain[0]).Concat(Offsets.OfLast(chain[1]).Select(offset => offset + (3 * tenth)))
            .Concat(Offsets.OfLast(chain[3]).Select(offset => offset + (7 * tenth)));
        Assert.Equal(expected, intended.Order().Select(timestamp => timestamp - intended.Min()));
        Assert.Equal((intended.Count, 0), (result.Requested, result.Dropped));
        Assert.Equal(8.2 * s_tenth, result.PlannedDuration);
        Assert.InRange(result.Duration, 8.2 * s_tenth, TimeSpan.FromSeconds(60));
        Assert.Equal(
            [
                "ramping inject from 0 to 20 per 00:00:00.1000000 for 00:00:00.3000000",
                "inject 5 to 15 per 00:00:00.1000000 for 00:00:00.2000000, a new rate for each interval with seed 9",
                "pause for 00:00:00.2000000",
                "inject 12 iterations, 10 per 00:00:00.1000000, even",
            ],
            result.Simulations);
        Runs.Balances(result);
    }

    [Fact]
    public Task Pause_counts_in_the_duration_but_not_in_the_rates() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Scenario.Create("quiet", _ => Runs.Ok)
            .WithLoadSimulations(
                Simulation.Inject(20, s_tenth, s_tenth), Simulation.Pause(4 * s_tenth),
                Simulation.Inject(20, s_tenth, s_tenth)));

        Assert.Equal(40, result.Ok.Count);
        Assert.InRange(result.Paused, 2 * s_tenth, 4 * s_tenth);
        Assert.Equal(result.Duration - result.Paused, result.LoadedDuration);
        Assert.Equal(40 / result.LoadedDuration.TotalSeconds, result.Ok.RatePerSecond, 6);
        Assert.Equal(40 / result.LoadedDuration.TotalSeconds, result.StartedPerSecond, 6);
        Assert.True(result.Ok.RatePerSecond > 40 / result.Duration.TotalSeconds);
    });

    [Fact]
    public async Task Catching_up_in_a_pause_does_not_raise_the_rate()
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var result = await Runs.OneAsync(Scenario.Create("behind", async context =>
        {
            // The first stretch is answered only when the second one has begun.
            if (context.IterationNumber < 20)
            {
                await release.Task.WaitAsync(TimeSpan.FromSeconds(60), context.ScenarioCancellationToken);
            }

            release.TrySetResult();
            return Response.Ok();
        }).WithLoadSimulations(
            Simulation.Inject(20, s_tenth, s_tenth), Simulation.Pause(3 * s_tenth),
            Simulation.Inject(20, s_tenth, s_tenth)));

        Assert.Equal(40, result.Ok.Count);
        Assert.Equal(TimeSpan.Zero, result.Paused);
        Assert.Equal(40 / result.Duration.TotalSeconds, result.Ok.RatePerSecond, 6);
    }

    [Fact]
    public async Task Stop_in_a_pause_ends_the_load()
    {
        var start = Stopwatch.GetTimestamp();
        var run = await new LoadRunner().RunAsync(
            [
                Scenario.Create("stopped", async context =>
                {
                    await Task.Delay(50, context.ScenarioCancellationToken);
                    context.StopCurrentTest("seen enough");
                    return Response.Ok();
                }).WithLoadSimulations(
                    Simulation.IterationsForInject(1, TimeSpan.FromMilliseconds(1), 1),
                    Simulation.Pause(TimeSpan.FromMinutes(10)),
                    Simulation.IterationsForInject(1_000, s_tenth, 700),
                    Simulation.RampingInject(2_000, s_tenth, s_tenth)),
            ],
            new LoadOptions(),
            Cancel);

        // The ramp goes from 1,000 to 2,000 in one interval: 1,500.
        var result = run.Scenario("stopped");
        Assert.Equal(
            (2_201, 1, 2_200, 2_200), (result.Requested, result.Ok.Count, result.Dropped, result.DroppedAfterStop));
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, TimeSpan.FromSeconds(60));
        Runs.Balances(result);
    }

    [Fact]
    public Task Arrivals_of_a_ramp_that_cannot_start_are_dropped_and_counted() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Scenario.Create("ramp", async context =>
        {
            await Task.Delay(context.IterationNumber < 2 ? 200 : 0, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.RampingInject(40, s_tenth, 5 * s_tenth)).WithMaxInFlight(2));

        Assert.Equal(100, result.Requested);
        Assert.InRange(result.DroppedInFlightLimit, 5, 98);
        Assert.Equal(result.DroppedInFlightLimit, result.Dropped);
        Runs.Balances(result);
    });

    [Fact]
    public async Task Warm_up_takes_the_first_load_and_leaves_a_pause_out()
    {
        var warmUps = 0;
        var result = await Runs.OneAsync(Scenario.Create("warm", context =>
        {
            if (context.ScenarioInfo.ScenarioOperation == ScenarioOperation.WarmUp)
            {
                Interlocked.Increment(ref warmUps);
            }

            return Runs.Ok;
        }).WithWarmUpDuration(2 * s_tenth)
        .WithLoadSimulations(Simulation.Pause(s_tenth), Simulation.RampingInject(30, s_tenth, s_tenth)));

        Assert.Equal((30, 15), (warmUps, result.Ok.Count));
        Assert.Equal(2 * s_tenth, result.PlannedDuration);
    }
}
