using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class ClosedChainTests
{
    private static readonly TimeSpan s_tenth = TimeSpan.FromMilliseconds(100);

    [Fact]
    public Task Copies_rise_one_by_one_to_the_number_asked_for_and_never_above_it() => RealTime.HoldsAsync(async () =>
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

        // Copy i is due at i tenths of a second and does not start before; together they are the five that were asked for.
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

        // The first copy ends its first iteration only when the fourth copy has started, which the ramp after its own simulation starts.
        var result = await Runs.OneAsync(
            Scenario.Create("on", async context =>
            {
                if (context.ScenarioInfo.InstanceNumber == 3)
                {
                    release.TrySetResult();
                }

                await release.Task.WaitAsync(TimeSpan.FromSeconds(20), context.ScenarioCancellationToken);
                await Task.Delay(5, context.ScenarioCancellationToken);
                return Response.Ok();
            }).WithLoadSimulations(
                Simulation.KeepConstant(1, s_tenth), Simulation.RampingConstant(4, 2 * s_tenth), Simulation.KeepConstant(4, s_tenth)),
            new LoadOptions { CompletionTimeout = TimeSpan.FromSeconds(25) });

        Assert.Equal(0, result.Fail.Count + result.Dropped + result.Unfinished);
        Assert.InRange(result.Ok.Count, 4, long.MaxValue);
        Assert.InRange(result.Duration, 4 * s_tenth, TimeSpan.FromSeconds(5));
    });

    [Fact]
    public Task Copies_that_are_too_many_leave_and_those_that_remain_carry_the_load() => RealTime.HoldsAsync(async () =>
    {
        var lasts = new ConcurrentDictionary<int, long>();
        var start = Stopwatch.GetTimestamp();

        var result = await Runs.OneAsync(Scenario.Create("fall", async context =>
        {
            lasts[context.ScenarioInfo.InstanceNumber] = context.StartTimestamp;
            await Task.Delay(5, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(
            Simulation.KeepConstant(6, s_tenth), Simulation.RampingConstant(1, s_tenth), Simulation.KeepConstant(1, 4 * s_tenth)));

        // Five copies have left by 200 ms, and one has gone on to 600 ms.
        var seen = lasts.Values.Select(last => Stopwatch.GetElapsedTime(start, last)).Order().ToArray();
        Assert.Equal(6, seen.Length);
        Assert.All(seen[..5], last => Assert.InRange(last, TimeSpan.Zero, seen[5] - s_tenth));
        Assert.Equal((0L, 0L), (result.Dropped, result.Unfinished));
        Runs.Balances(result);
    });

    [Fact]
    public Task Nothing_starts_in_a_pause_between_closed_loads_and_rates_leave_it_out() => RealTime.HoldsAsync(async () =>
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
        Assert.Contains(ordered.Zip(ordered.Skip(1)), pair => Stopwatch.GetElapsedTime(pair.First, pair.Second) >= 5 * s_tenth);
        Assert.InRange(result.Paused, 3 * s_tenth, 6 * s_tenth);
        Assert.InRange(result.Duration, 8 * s_tenth, TimeSpan.FromSeconds(5));
        Assert.Equal(result.Ok.Count / (result.Duration - result.Paused).TotalSeconds, result.Ok.RatePerSecond, 6);
        Assert.Null(result.PlannedDuration);
        Assert.Equal(LoadModel.Closed, result.Model);
        Runs.Balances(result);
    });

    [Fact]
    public Task A_pause_is_no_stall() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Scenario.Create("paused", async context =>
        {
            await Task.Delay(2, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(
            Simulation.KeepConstant(2, 3 * s_tenth), Simulation.Pause(6 * s_tenth), Simulation.KeepConstant(2, 3 * s_tenth)));

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

public sealed class ClosedWorkTests
{
    [Fact]
    public void A_dismissed_copy_leaves_without_a_claim_and_only_as_many_as_were_dismissed()
    {
        var work = ClosedWork.Of(10, firstNumber: 0);

        work.Retire(2);

        Assert.Equal([false, false, true], new[] { 1, 2, 3 }.Select(now => work.TryClaim(now, out _)));
        Assert.Equal(1, work.Claimed);
    }

    [Fact]
    public void A_copy_that_has_not_left_yet_stays_when_it_is_wanted_again()
    {
        var work = ClosedWork.Until(100);
        work.Retire(1);

        Assert.True(work.TryKeep());

        Assert.False(work.TryKeep());
        Assert.True(work.TryClaim(1, out _));
    }

    [Fact]
    public void Nothing_is_claimed_at_the_deadline_or_past_the_number()
    {
        var (timed, counted) = (ClosedWork.Until(100), ClosedWork.Of(2, firstNumber: 40));

        Assert.Equal((true, false), (timed.TryClaim(99, out _), timed.TryClaim(100, out _)));
        Assert.Equal((true, 40L), (counted.TryClaim(1, out var first), first));
        Assert.Equal((true, 41L), (counted.TryClaim(1, out var second), second));
        Assert.False(counted.TryClaim(1, out _));
        Assert.Equal(2, counted.Claimed);
    }
}

public sealed class CopyScheduleTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void A_constant_number_of_copies_is_there_at_once() =>
        Assert.Equal([(0.0, 5)], Levels(Simulation.KeepConstant(5, s_second)));

    [Fact]
    public void A_ramp_up_is_the_line_rounded_up_so_that_its_first_copy_starts_at_once() =>
        Assert.Equal([(0.0, 1), (1.0, 2), (2.0, 3), (3.0, 4)], Levels(Simulation.RampingConstant(4, 4 * s_second)));

    [Fact]
    public void A_ramp_down_is_the_line_rounded_up_so_that_its_last_copy_stays_to_the_end() =>
        Assert.Equal([(0.0, 4), (1.0, 3), (2.0, 2), (3.0, 1), (4.0, 0)],
            Levels(Simulation.KeepConstant(4, s_second), Simulation.RampingConstant(0, 4 * s_second)));

    [Fact]
    public void A_ramp_begins_with_the_copies_of_the_simulation_before_it() =>
        Assert.Equal([(0.0, 11), (0.5, 12)], Levels(Simulation.KeepConstant(10, s_second), Simulation.RampingConstant(12, s_second)));

    [Fact]
    public void A_ramp_that_stays_level_changes_nothing() =>
        Assert.Equal([(0.0, 3)], Levels(Simulation.KeepConstant(3, s_second), Simulation.RampingConstant(3, s_second)));

    [Theory]
    [InlineData(0, 1_000)]
    [InlineData(700, 33)]
    public void At_any_time_the_level_is_the_straight_line_rounded_up(int from, int to)
    {
        var before = from == 0 ? Simulation.Pause(s_second) : Simulation.KeepConstant(from, s_second);
        var levels = Levels(before, Simulation.RampingConstant(to, 7 * s_second));

        Assert.Equal(to, levels[^1].Copies);
        Assert.All(levels.Zip(levels.Skip(1)), change =>
        {
            var middle = (change.First.At + change.Second.At) / 2;
            Assert.Equal((int)Math.Ceiling(from + ((to - from) * middle / 7)), change.First.Copies);
        });
    }

    private static (double At, int Copies)[] Levels(params LoadSimulation[] chain)
    {
        var scenario = Scenario.Create("copies", _ => Task.FromResult<IResponse>(Response.Ok())).WithLoadSimulations(chain);
        return [.. CopySchedule.Of((ClosedSimulation)scenario.LoadSimulations[^1])
            .Select(level => ((double)level.Offset / Stopwatch.Frequency, level.Copies))];
    }
}
