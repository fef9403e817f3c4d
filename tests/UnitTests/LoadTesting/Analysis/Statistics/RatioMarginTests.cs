namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class RatioMarginTests
{
    [Theory]
    [InlineData(0, 0.065)]
    [InlineData(0.5, 0.14)]
    public void Margin_is_rarely_exceeded_by_chance(double correlation, double most)
    {
        var random = new Random(5);

        var beyond = Enumerable.Range(0, 2000).Count(_ =>
        {
            var (first, other) = (Run(Series(random, correlation)), Run(Series(random, correlation)));
            return Math.Abs(Math.Log(Mean(first) / Mean(other))) > Math.Log(Margin(first, other)!.Value);
        });

        // One in twenty by design; short series of correlated values look steadier than they are.
        Assert.InRange(beyond / 2000.0, 0.01, most);

        static double Mean(ScenarioResult run) =>
            run.Timeline!.Points.Skip(1).SkipLast(1).Average(point => point.Completed);
    }

    [Fact]
    public void Change_common_to_all_runs_cancels_out()
    {
        double[] warmingUp = [600, 800, 900, 1000, 1100, 1150, 1200, 1220, 1230, 1240];

        Assert.Equal(1, Margin(Run(warmingUp), Run([.. warmingUp.Select(value => value * 2)]))!.Value, 2);
    }

    [Fact]
    public void Second_without_a_completion_widens_the_margin()
    {
        double[] steady = [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000];

        Assert.Equal(1, Margin(Run(steady), Run(steady))!.Value, 6);
        Assert.InRange(Margin(Run(steady), Run([1000, 1000, 1000, 0, 1000, 1000, 1000, 1000]))!.Value, 2, 10);
    }

    [Fact]
    public void First_and_last_intervals_do_not_count_and_few_say_nothing()
    {
        double[] odd = [1, 1000, 1000, 1000, 1000, 1];

        Assert.Equal(1, Margin(Run(odd), Run([9, 1000, 1000, 1000, 1000, 9]))!.Value, 6);
        Assert.Null(Margin(Run(odd), Run([1000, 1000, 1000, 1000, 1000])));
        Assert.Null(Margin(Run(odd), Runs.Long() with { Timeline = null }));
    }

    [Fact]
    public void Merged_results_scatter_from_run_to_run()
    {
        Assert.InRange(Margin(Merged(1000, 1050, 950, 1000), Merged(990, 1040, 940, 990))!.Value, 1.05, 1.2);
        Assert.Null(Margin(Merged(1000, 1050, 950, 1000), Merged(990, 1040)));
    }

    private static double? Margin(ScenarioResult first, ScenarioResult other) =>
        RatioMargin.Of(first, other, point => point.Completed, run => run.ThroughputPerSecond);

    private static double[] Series(Random random, double correlation) =>
        [.. Noise.Correlated(random, 12, correlation).Select(value => 10_000 * (1 + (0.05 * value)))];

    private static ScenarioResult Run(IReadOnlyList<double> completed) => Runs.Long() with
    {
        Timeline = new TimelineResult
        {
            IntervalMs = 1000,
            Points = [
                .. completed.Select(
                    (value, second) => new TimelinePoint { TMs = second * 1000, Completed = (long)value })],
        },
    };

    private static ScenarioResult Merged(params double[] perSecond) => Runs.Long() with
    {
        Runs = [.. perSecond.Select(rate => new MergedPart
        {
            RunId = "20260317T101500Z-8d4f1c2", StartedUtc = DateTimeOffset.UnixEpoch, Operations = 200,
            Completed = 200,
            DurationMs = 10_000, ThroughputPerSecond = rate, Latency = Runs.Long().Latency,
        })],
    };
}
