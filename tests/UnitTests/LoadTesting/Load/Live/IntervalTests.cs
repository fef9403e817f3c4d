namespace UnitTests.LoadTesting.Load.Live;

[Collection(TimedCollection.Name)]
public sealed class IntervalTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Intervals_follow_each_other_and_add_up_to_the_result()
    {
        var intervals = new List<LoadInterval>();
        var open = Runs.Inject(40, 3 * s_second, async context =>
        {
            await Step.Run("step", context, async () =>
            {
                await Task.Delay(5);
                return Response.Ok(sizeBytes: 10);
            });
            return context.IterationNumber % 4 == 0 ? Response.Fail("503") : Response.Ok(sizeBytes: 3);
        });
        var closed = Runs.Iterations(2, 50, async context =>
        {
            await Task.Delay(5);
            return Response.Ok();
        });

        LoadResult? result = null;
        await RealTime.HoldsAsync(async () =>
        {
            intervals.Clear();
            result = await new LoadRunner().RunAsync(
                [open, closed], new LoadOptions { Interval = s_second, OnInterval = intervals.Add }, Cancel);
            // The second interval is reported with the last tick of the load, or with its end.
            Assert.InRange(intervals.Count, 2, 5);
        });

        Assert.Equal(
            intervals.Skip(1).Select(interval => interval.From), intervals.SkipLast(1).Select(interval => interval.To));
        Assert.Equal(TimeSpan.Zero, intervals[0].From);
        Assert.Equal(
            [.. Enumerable.Repeat(false, intervals.Count - 1), true], intervals.Select(interval => interval.IsLast));
        Assert.All(intervals.SkipLast(1), interval => Assert.Equal(0, interval.To.Ticks % TimeSpan.TicksPerSecond));
        Assert.Equal(
            [(90L, 30L, 120L, 90 * 3L, 1_200L), (50L, 0L, 0L, 0L, 0L)],
            Enumerable.Range(0, 2).Select(index => intervals.Select(interval => interval.Scenarios[index]).ToArray())
                .Select(parts => (
                parts.Sum(part => part.Ok.Count), parts.Sum(part => part.Fail.Count),
                parts.Sum(part => part.Steps.Sum(step => step.Ok.Count)), parts.Sum(part => part.Ok.SizeBytes),
                parts.Sum(part => part.Steps.Sum(step => step.Ok.SizeBytes)))));
        Assert.Equal(
            (90, 30, 120),
            (result!.Scenarios[0].Ok.Count, result.Scenarios[0].Fail.Count, result.Scenarios[0].Step("step").Ok.Count));
        Assert.Equal(result.Scenarios[0].Step("step").Ok.Service.ToSparseString(), LatencyHistogram.MergeAll(
            intervals.SelectMany(interval => interval.Scenarios[0].Steps).Select(step => step.Ok.Service))
            .ToSparseString());
    }

    [Fact]
    public async Task Interval_may_stop_the_run()
    {
        var scenario = Scenario.Create("long", _ => Runs.Ok)
            .WithLoadSimulations(Simulation.Inject(20, s_second, TimeSpan.FromMinutes(2)));

        var result = await new LoadRunner().RunAsync(
            [scenario],
            new LoadOptions { Interval = s_second, OnInterval = interval => interval.StopCurrentTest("seen enough") },
            Cancel);

        Assert.Equal("seen enough", result.StopReason);
        Assert.InRange(result.Duration, s_second, 30 * s_second);
    }

    [Fact]
    public async Task Interval_that_throws_ends_the_run_with_its_reason()
    {
        var scenario = Scenario.Create("long", _ => Runs.Ok)
            .WithLoadSimulations(Simulation.Inject(20, s_second, TimeSpan.FromMinutes(2)));
        var options = new LoadOptions { Interval = s_second, OnInterval = _ => throw new TimeoutException("no sink") };

        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => new LoadRunner().RunAsync([scenario], options, Cancel));

        Assert.Contains("no sink", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(1.5)]
    public async Task Interval_is_whole_seconds(double seconds)
    {
        var options = new LoadOptions { Interval = TimeSpan.FromSeconds(seconds) };

        var error = await Assert.ThrowsAsync<ArgumentException>(() =>
            new LoadRunner().RunAsync([Runs.Iterations(1, 1, _ => Runs.Ok)], options, Cancel));

        Assert.Contains($"Interval is {options.Interval}; it is a whole number of seconds", error.Message,
            StringComparison.Ordinal);
    }
}
