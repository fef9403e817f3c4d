using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class StoppedLoadTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_years = TimeSpan.FromDays(9_000);

    public static TheoryData<LoadSimulation> Long =>
    [
        Simulation.Inject(1_000, s_second, s_years),
        Simulation.Inject(1_000, s_second, s_years, ArrivalPattern.Poisson),
        Simulation.InjectRandom(900, 1_100, s_second / 10, s_years),
        Simulation.IterationsForInject(1_000, s_second, 500_000_000_000),
        Simulation.RampingInject(2_000_000_000, s_second, s_years),
        Simulation.KeepConstant(2, s_years),
        Simulation.RampingConstant(1_000_000, s_years),
        Simulation.IterationsForConstant(2, 500_000_000_000),
    ];

    [Theory]
    [MemberData(nameof(Long), DisableDiscoveryEnumeration = true)]
    public async Task Stopped_load_ends_at_once(LoadSimulation load)
    {
        var stopped = 0L;
        var result = await Runs.OneAsync(Scenario.Create("stopped", async context =>
        {
            await Task.Delay(1, context.ScenarioCancellationToken);
            if (context.IterationNumber >= 5
                && Interlocked.CompareExchange(ref stopped, Stopwatch.GetTimestamp(), 0) == 0)
            {
                context.StopCurrentTest("enough");
            }

            return Response.Ok();
        }).WithLoadSimulations(load));

        Assert.InRange(Stopwatch.GetElapsedTime(stopped), TimeSpan.Zero, TimeSpan.FromSeconds(60));
        Assert.InRange(result.Duration, TimeSpan.Zero, TimeSpan.FromSeconds(60));
        Assert.Equal(result.Ok.Count / result.Duration.TotalSeconds, result.Ok.RatePerSecond, 6);
        Assert.Equal(result.Dropped, result.DroppedAfterStop);
        Runs.Balances(result);
    }

    [Fact]
    public async Task Warm_up_that_is_stopped_ends_it_and_the_load_at_once()
    {
        var result = await Runs.OneAsync(Scenario.Create("stopped", context =>
        {
            context.StopCurrentTest("enough");
            return Runs.Ok;
        }).WithWarmUpDuration(s_years).WithLoadSimulations(Simulation.Inject(10, s_second, s_years)));

        Assert.Equal((0, (long)s_years.TotalSeconds * 10), (result.Started, result.DroppedAfterStop));
        Assert.InRange(result.Duration, TimeSpan.Zero, TimeSpan.FromSeconds(60));
    }

    [Fact]
    public async Task Arrivals_that_wait_for_a_thread_do_not_start_after_a_stop()
    {
        using var stopped = new ManualResetEventSlim();
        var begun = new TaskCompletionSource<IScenarioContext>(TaskCreationOptions.RunContinuationsAsynchronously);
        var interval = TimeSpan.FromMilliseconds(20);
        var running = Runs.OneAsync(
            Scenario.Create("blocked", context =>
            {
                begun.TrySetResult(context);
                stopped.Wait(TimeSpan.FromSeconds(30), CancellationToken.None);
                return Runs.Ok;
            }).WithLoadSimulations(
                Simulation.Inject(2_000, interval, interval), Simulation.Inject(1, s_years, s_years)),
            new LoadOptions { HealthLimits = GeneratorHealthLimits.None });

        // A separate thread, because all threads of the pool are taken.
        var stopping = new Thread(() =>
        {
            var context = begun.Task.GetAwaiter().GetResult();
            SpinWait.SpinUntil(() => Stopwatch.GetElapsedTime(context.IntendedTimestamp) > 5 * interval);
            context.StopCurrentTest("enough");
            stopped.Set();
        });
        stopping.Start();
        var result = await running;

        Assert.InRange(result.Started, 1, 1_000);
        Assert.Equal((2_001 - result.Started, 2_001 - result.Started), (result.Dropped, result.DroppedAfterStop));
        Runs.Balances(result);
    }

    [Fact]
    public async Task Copy_that_rests_does_not_hold_up_a_stop()
    {
        var start = Stopwatch.GetTimestamp();
        await Runs.OneAsync(Scenario.Create("resting", context =>
        {
            context.RestUntil(Stopwatch.GetTimestamp() + (3_600 * Stopwatch.Frequency));
            if (context.IterationNumber == 1)
            {
                context.StopCurrentTest("enough");
            }

            return Runs.Ok;
        }).WithLoadSimulations(Simulation.IterationsForConstant(2, 4)),
        new LoadOptions { CompletionTimeout = TimeSpan.FromHours(1) });

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, TimeSpan.FromSeconds(60));
    }

    public static TheoryData<LoadSimulation> Counted =>
    [
        Simulation.Inject(7, s_second, 3 * s_second), Simulation.Inject(1, s_second / 3, s_second),
        Simulation.Inject(3, s_second, 3.4 * s_second),
        Simulation.RampingInject(40, s_second, 5 * s_second), Simulation.IterationsForInject(7, s_second, 23),
    ];

    [Theory]
    [MemberData(nameof(Counted), DisableDiscoveryEnumeration = true)]
    public void What_is_left_of_a_schedule_is_counted_without_walking_it(LoadSimulation load)
    {
        foreach (var share in new[] { (0, 1), (0, 2), (2, 3) })
        {
            var all = ArrivalSchedule.Create((OpenSimulation)load with { Share = share });
            var left = new List<long> { all.CountLeft() };
            while (all.TryNext(out _))
            {
                left.Add(all.CountLeft());
            }

            Assert.Equal(Enumerable.Range(0, left.Count).Select(count => (long)count).Reverse(), left);
        }
    }

    [Fact]
    public void What_is_left_of_random_arrivals_is_their_expected_number()
    {
        var poisson = ArrivalSchedule.Create(
            (OpenSimulation)Simulation.Inject(10, s_second, 100 * s_second, ArrivalPattern.Poisson));
        var random = ArrivalSchedule.Create((OpenSimulation)Simulation.InjectRandom(5, 15, s_second, 100 * s_second));

        Assert.Equal((1_000, 1_000), (poisson.CountLeft(), random.CountLeft()));
    }
}
