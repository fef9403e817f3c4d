using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Pacing;

[Collection(TimedCollection.Name)]
public sealed class ClosedChainTests
{
    private static readonly TimeSpan s_tenth = TimeSpan.FromMilliseconds(100);

    [Fact]
    public Task Copies_rise_one_by_one_to_the_requested_number() => RealTime.HoldsAsync(async () =>
    {
        var firsts = new ConcurrentDictionary<int, long>();
        int running = 0, most = 0;
        var start = Stopwatch.GetTimestamp();

        var result = await Runs.OneAsync(Scenario.Create("rise", async context =>
        {
            firsts.TryAdd(context.ScenarioInfo.InstanceNumber, context.StartTimestamp);
            Max(ref most, Interlocked.Increment(ref running));
            await Task.Delay(5, context.ScenarioCancellationToken);
            Interlocked.Decrement(ref running);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.RampingConstant(5, 5 * s_tenth)));

        // Copy i starts at i tenths of a second and not before. Together they are the requested five.
        Assert.Equal(Enumerable.Range(0, 5), firsts.Keys.Order());
        Assert.All(Enumerable.Range(1, 4), copy => Assert.InRange(
            Stopwatch.GetElapsedTime(start, firsts[copy]), copy * s_tenth, TimeSpan.FromSeconds(5)));
        Assert.InRange(most, 2, 5);
        Assert.Equal(5 * s_tenth, result.PlannedDuration);
        Runs.Balances(result);
    });

    [Fact]
    public Task Copies_run_on_from_one_level_to_the_next() => RealTime.HoldsAsync(async () =>
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        // The first iteration of the first copy ends only when the fourth copy, of the next ramp, has started.
        var result = await Runs.OneAsync(
            Scenario.Create("on", async context =>
            {
                if (context.ScenarioInfo.InstanceNumber == 3)
                {
                    release.TrySetResult();
                }

                await release.Task.WaitAsync(TimeSpan.FromSeconds(60), context.ScenarioCancellationToken);
                await Task.Delay(5, context.ScenarioCancellationToken);
                return Response.Ok();
            }).WithLoadSimulations(
                Simulation.KeepConstant(1, s_tenth), Simulation.RampingConstant(4, 2 * s_tenth),
                Simulation.KeepConstant(4, s_tenth)),
            new LoadOptions { CompletionTimeout = TimeSpan.FromSeconds(90) });

        Assert.Equal(0, result.Fail.Count + result.Dropped + result.Unfinished);
        Assert.InRange(result.Ok.Count, 4, long.MaxValue);
        Assert.InRange(result.Duration, 4 * s_tenth, TimeSpan.FromSeconds(5));
    });

    [Fact]
    public Task Surplus_copies_leave() => RealTime.HoldsAsync(async () =>
    {
        var lasts = new ConcurrentDictionary<int, long>();
        var start = Stopwatch.GetTimestamp();

        var result = await Runs.OneAsync(Scenario.Create("fall", async context =>
        {
            lasts[context.ScenarioInfo.InstanceNumber] = context.StartTimestamp;
            await Task.Delay(5, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(
            Simulation.KeepConstant(6, s_tenth), Simulation.RampingConstant(1, s_tenth),
            Simulation.KeepConstant(1, 4 * s_tenth)));

        // Five copies have left by 200 ms, and one has gone on to 600 ms.
        var seen = lasts.Values.Select(last => Stopwatch.GetElapsedTime(start, last)).Order().ToArray();
        Assert.Equal(6, seen.Length);
        Assert.All(seen[..5], last => Assert.InRange(last, TimeSpan.Zero, seen[5] - s_tenth));
        Assert.Equal((0L, 0L), (result.Dropped, result.Unfinished));
        Runs.Balances(result);
    });

    [Fact]
    public Task Nothing_starts_in_a_pause_between_closed_loads() => RealTime.HoldsAsync(async () =>
    {
        var starts = new ConcurrentBag<long>();

        var result = await Runs.OneAsync(Scenario.Create("paused", async context =>
        {
            starts.Add(context.StartTimestamp);
            await Task.Delay(5, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(
            Simulation.KeepConstant(2, s_tenth), Simulation.Pause(5 * s_tenth), Simulation.RampingConstant(2, s_tenth),
            Simulation.Pause(s_tenth), Simulation.IterationsForConstant(2, 6)));

        // The longest time without a start is the longer pause: 500 ms from planned end to next start.
        var ordered = starts.Order().ToArray();
        Assert.Contains(
            ordered.Zip(ordered.Skip(1)), pair => Stopwatch.GetElapsedTime(pair.First, pair.Second) >= 5 * s_tenth);
        Assert.InRange(result.Paused, 3 * s_tenth, 6 * s_tenth);
        Assert.InRange(result.Duration, 8 * s_tenth, TimeSpan.FromSeconds(5));
        Assert.Equal(result.Ok.Count / (result.Duration - result.Paused).TotalSeconds, result.Ok.RatePerSecond, 6);
        Assert.Null(result.PlannedDuration);
        Assert.Equal(LoadModel.Closed, result.Model);
        Runs.Balances(result);
    });

    [Fact]
    public Task Pause_is_not_a_stall() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Scenario.Create("paused", async context =>
        {
            await Task.Delay(2, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(
            Simulation.KeepConstant(2, 3 * s_tenth), Simulation.Pause(6 * s_tenth),
            Simulation.KeepConstant(2, 3 * s_tenth)));

        Assert.DoesNotContain(result.Stalls, stall => stall.DurationMs >= 400);
    });

    private static void Max(ref int target, int value)
    {
        for (var seen = Volatile.Read(ref target); value > seen; seen = Volatile.Read(ref target))
        {
            Interlocked.CompareExchange(ref target, value, seen);
        }
    }
}
