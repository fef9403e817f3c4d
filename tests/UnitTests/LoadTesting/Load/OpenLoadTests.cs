using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class OpenLoadTests
{
    [Fact]
    public async Task Intended_starts_follow_the_absolute_schedule_to_the_tick()
    {
        var intended = new System.Collections.Concurrent.ConcurrentBag<long>();

        var result = await Runs.OneAsync(Runs.Inject(200, TimeSpan.FromMilliseconds(500), context =>
        {
            intended.Add(context.IntendedTimestamp);
            return Runs.Ok;
        }));

        var offsets = intended.Order().Select(timestamp => timestamp - intended.Min()).ToArray();
        Assert.Equal(200, offsets.Length);
        Assert.All(offsets.Select((offset, index) => (offset, index)), arrival =>
            Assert.Equal(arrival.index * (Stopwatch.Frequency / 400), arrival.offset));
        Assert.Equal((200, 200, 0), (result.Requested, result.Ok.Count, result.Dropped));
        Assert.Equal(200, result.ScheduleLag.Count);
        Runs.Balances(result);
    }

    [Fact]
    public async Task No_iteration_starts_before_it_is_due()
    {
        var earliest = long.MaxValue;

        await Runs.OneAsync(Runs.Inject(300, TimeSpan.FromMilliseconds(300), context =>
        {
            var lag = context.StartTimestamp - context.IntendedTimestamp;
            for (var seen = Volatile.Read(ref earliest); lag < seen; seen = Volatile.Read(ref earliest))
            {
                Interlocked.CompareExchange(ref earliest, lag, seen);
            }

            return Runs.Ok;
        }));

        Assert.InRange(earliest, 0, long.MaxValue - 1);
    }

    /// <summary>Between arrivals that follow each other faster a wait would be a spin, which burns a core.</summary>
    [Fact]
    public void Dense_arrivals_are_waited_for_in_quanta()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "There is no sleep of so short a time on Windows.");
        var (every, quantum) = (Stopwatch.Frequency / 12_500, Stopwatch.Frequency / 5_000);
        var wait = new PreciseWait(new object(), () => false);
        var (begin, waits) = (Stopwatch.GetTimestamp(), 0);
        for (var arrival = 1; arrival <= 6_000; arrival++)
        {
            var due = begin + (arrival * every);
            waits += due > Stopwatch.GetTimestamp() ? 1 : 0;
            Assert.True(wait.Until(due));
            Assert.True(Stopwatch.GetTimestamp() >= due);
        }

        Assert.InRange(waits, 1, ((Stopwatch.GetTimestamp() - begin) / quantum) + 1);
    }

    [Fact]
    public Task Bodies_that_block_every_thread_do_not_starve_the_schedule() => RealTime.HoldsAsync(async () =>
    {
        using var begun = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var scenario = Runs.Inject(300, TimeSpan.FromMilliseconds(600), _ =>
        {
            begun.Set();
            release.Wait(TimeSpan.FromSeconds(30), CancellationToken.None);
            return Runs.Ok;
        });

        // A dedicated thread opens the gate after the schedule, because every pool thread is blocked by then.
        var gate = new Thread(() =>
        {
            using var never = new ManualResetEventSlim();
            begun.Wait(TimeSpan.FromSeconds(30), CancellationToken.None);
            never.Wait(TimeSpan.FromMilliseconds(800), CancellationToken.None);
            release.Set();
        });
        gate.Start();
        var result = await Runs.OneAsync(scenario, new LoadOptions { HealthLimits = GeneratorHealthLimits.None });

        // Each arrival was intended on time but had no thread. The lag and the response time hold the lateness.
        Assert.Equal((300, 300, 0), (result.Requested, result.Ok.Count, result.Dropped));
        Assert.InRange(result.ScheduleLag.MaxMs, 300, 30_000);
        Assert.InRange(result.Ok.Latency.MaxMs, 700, 30_000);
        Assert.True(result.StartedLate > 0);
        Assert.True(result.Ok.RatePerSecond < 300 / 0.6);
    });

    [Fact]
    public Task Arrivals_that_cannot_start_are_dropped_and_counted() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Runs.Inject(100, TimeSpan.FromMilliseconds(500), async context =>
        {
            await Task.Delay(context.IterationNumber < 2 ? 200 : 0, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithMaxInFlight(2));

        Assert.Equal(100, result.Requested);
        Assert.InRange(result.DroppedInFlightLimit, 10, 98);
        Assert.Equal(result.DroppedInFlightLimit, result.Dropped);
        Runs.Balances(result);
    });

    [Fact]
    public async Task Headline_of_an_open_load_is_response_time()
    {
        var result = await Runs.OneAsync(Runs.Inject(100, TimeSpan.FromMilliseconds(300), async context =>
        {
            await Step.Run("work", context, async () =>
            {
                await Task.Yield();
                return Response.Ok();
            });
            return Response.Ok();
        }));

        Assert.Equal(LoadModel.Open, result.Model);
        Assert.Same(result.Ok.Response, result.Ok.Latency);
        Assert.Equal(result.Ok.Response.SumMs, result.Ok.Service.SumMs + result.ScheduleLag.SumMs, 3);
        var step = result.Step("work");
        Assert.Equal(step.Ok.Response.SumMs, step.Ok.Service.SumMs + step.ScheduleLag.SumMs, 3);
        Assert.Equal(result.ScheduleLag.SumMs, step.ScheduleLag.SumMs, 6);
    }

    [Fact]
    public async Task Rates_are_over_real_time_and_both_durations_are_reported()
    {
        var result = await Runs.OneAsync(Runs.Inject(10, TimeSpan.FromMilliseconds(200), async context =>
        {
            await Task.Delay(context.IterationNumber == 9 ? 400 : 0, context.ScenarioCancellationToken);
            return Response.Ok();
        }));

        Assert.Equal(TimeSpan.FromMilliseconds(200), result.PlannedDuration);
        Assert.InRange(result.Duration, TimeSpan.FromMilliseconds(540), TimeSpan.FromSeconds(60));
        Assert.Equal(10 / result.Duration.TotalSeconds, result.ThroughputPerSecond, 6);
    }

    [Fact]
    public Task Iterations_past_the_completion_timeout_are_unfinished() =>
        RealTime.HoldsAsync(async () =>
        {
            var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var result = await Runs.OneAsync(
                Runs.Inject(20, TimeSpan.FromMilliseconds(200), async context =>
                {
                    if (context.IterationNumber % 2 == 0)
                    {
                        await release.Task;
                    }

                    return Response.Ok();
                }),
                new LoadOptions { CompletionTimeout = TimeSpan.FromMilliseconds(500) });
            release.SetResult();

            Assert.Equal((20, 10, 10), (result.Started, result.Ok.Count, result.Unfinished));
            Assert.InRange(result.Duration, TimeSpan.FromMilliseconds(700), TimeSpan.FromSeconds(60));
            Runs.Balances(result);
        });

    [Fact]
    public async Task Two_simulations_follow_each_other_on_one_schedule()
    {
        var intended = new System.Collections.Concurrent.ConcurrentBag<long>();
        var interval = TimeSpan.FromMilliseconds(100);

        var result = await Runs.OneAsync(Scenario.Create("two", context =>
        {
            intended.Add(context.IntendedTimestamp);
            return Runs.Ok;
        }).WithLoadSimulations(
            Simulation.Inject(10, interval, 2 * interval), Simulation.Inject(20, interval, interval)));

        Assert.Equal(40, result.Ok.Count);
        Assert.Equal(3 * interval, result.PlannedDuration);
        var ordered = intended.Order().ToArray();
        Assert.Equal(2 * interval, Stopwatch.GetElapsedTime(ordered[0], ordered[20]));
    }
}
