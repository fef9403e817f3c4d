using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class ClosedLoadTests
{
    [Fact]
    public async Task Iterations_run_exactly_as_often_as_asked_with_unique_numbers()
    {
        var numbers = new System.Collections.Concurrent.ConcurrentBag<long>();

        var result = await Runs.OneAsync(Runs.Iterations(4, 24, async context =>
        {
            numbers.Add(context.IterationNumber);
            await Task.Yield();
            return Response.Ok();
        }));

        Assert.Equal(Enumerable.Range(0, 24).Select(number => (long)number), numbers.Order());
        Assert.Equal((24, 24, 0, 0), (result.Requested, result.Ok.Count, result.Dropped, result.Unfinished));
        Runs.Balances(result);
        Assert.Null(result.PlannedDuration);
    }

    [Fact]
    public async Task Short_run_takes_no_extra_time()
    {
        // A busy machine may delay any run, but not every one of twenty.
        var (whole, duration) = (TimeSpan.MaxValue, TimeSpan.MaxValue);
        for (var run = 0; run < 20 && (whole > TimeSpan.FromSeconds(2) || duration > TimeSpan.FromSeconds(1)); run++)
        {
            var start = Stopwatch.GetTimestamp();
            var result = await Runs.OneAsync(Runs.Iterations(1, 24, _ => Runs.Ok));
            Assert.Equal(24, result.Ok.Count);
            whole = TimeSpan.FromTicks(Math.Min(whole.Ticks, Stopwatch.GetElapsedTime(start).Ticks));
            duration = TimeSpan.FromTicks(Math.Min(duration.Ticks, result.Duration.Ticks));
        }

        Assert.InRange(whole, TimeSpan.Zero, TimeSpan.FromSeconds(2));
        Assert.InRange(duration, TimeSpan.Zero, TimeSpan.FromSeconds(1));
    }

    [Fact]
    public async Task Exactly_the_requested_copies_run_at_a_time()
    {
        int running = 0, most = 0;
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        await Runs.OneAsync(Runs.Iterations(5, 50, async context =>
        {
            var now = Interlocked.Increment(ref running);
            InterlockedMax(ref most, now);
            if (now == 5)
            {
                all.TrySetResult();
            }

            await all.Task.WaitAsync(TimeSpan.FromSeconds(60), context.ScenarioCancellationToken);
            Interlocked.Decrement(ref running);
            return Response.Ok();
        }));

        Assert.Equal(5, most);
    }

    [Fact]
    public Task Blocking_bodies_do_not_starve_other_copies() => RealTime.HoldsAsync(async () =>
    {
        var instances = new System.Collections.Concurrent.ConcurrentDictionary<int, long>();

        var result = await Runs.OneAsync(Scenario.Create("synchronous", context =>
        {
            instances.AddOrUpdate(context.ScenarioInfo.InstanceNumber, 1, (_, count) => count + 1);
            return Runs.Ok;
        }).WithLoadSimulations(Simulation.KeepConstant(20, TimeSpan.FromMilliseconds(500))));

        Assert.Equal(20, instances.Count);
        Assert.InRange(result.Duration, TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(2));
        Assert.Equal(result.Ok.Count / result.Duration.TotalSeconds, result.Ok.RatePerSecond, 6);
        Runs.Balances(result);
    });

    [Fact]
    public async Task Headline_of_a_closed_load_is_service_time()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 10, _ => Runs.Ok));

        Assert.Equal(LoadModel.Closed, result.Model);
        Assert.Same(result.Ok.Service, result.Ok.Latency);
        Assert.Equal(0, result.ScheduleLag.Count);
    }

    [Fact]
    public async Task Too_many_failures_stop_the_run_with_a_reason()
    {
        var run = await new LoadRunner().RunAsync(
            [Runs.Iterations(1, 1_000, _ => Task.FromResult<IResponse>(Response.Fail("503", "no capacity")))
                .WithMaxFailCount(9)],
            new LoadOptions(),
            Cancel);

        var result = run.Scenario("iterations");
        Assert.Equal(
            (1_000, 10, 990, 990), (result.Requested, result.Fail.Count, result.Dropped, result.DroppedAfterStop));
        Assert.Contains("WithMaxFailCount(9)", run.StopReason, StringComparison.Ordinal);
        Assert.Contains("no capacity", run.StopReason, StringComparison.Ordinal);
        Runs.Balances(result);
    }

    [Fact]
    public Task Hanging_copies_are_unfinished_after_the_timeout() =>
        RealTime.HoldsAsync(async () =>
        {
            var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var run = await new LoadRunner().RunAsync(
                [
                    Runs.Iterations(1, 3, async context =>
                    {
                        if (context.IterationNumber == 1)
                        {
                            // Not a registration that is disposed at the end: the delay's own one may end the body
                            // before its turn has come.
                            var hang = Task.Delay(Timeout.Infinite, context.ScenarioCancellationToken);
                            await hang.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                            cancelled.SetResult();
                            await hang;
                        }

                        return Response.Ok();
                    }),
                ],
                new LoadOptions { CompletionTimeout = TimeSpan.FromMilliseconds(500) },
                Cancel);

            var result = run.Scenarios.Single();
            Assert.Equal((1, 1, 1), (result.Ok.Count, result.Unfinished, result.Dropped));
            Assert.Contains("completion timeout of 00:00:00.5000000", run.StopReason, StringComparison.Ordinal);
            Runs.Balances(result);
            await cancelled.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        });

    private static void InterlockedMax(ref int target, int value)
    {
        for (var seen = target; value > seen; seen = target)
        {
            Interlocked.CompareExchange(ref target, value, seen);
        }
    }
}
