using LoadTesting.Core.Analysis.Validity;
using UnitTests.LoadTesting.Analysis.Statistics;

namespace UnitTests.LoadTesting.Analysis.Validity;

public sealed class WarmUpCutTests
{
    [Fact]
    public void Slow_beginning_is_reported_in_completions()
    {
        var (result, check) = WarmUpCut.Find(Series(5_000, i => 4 + (20 * Math.Exp(-i / 200.0))), "latency");

        Assert.Equal((CheckOutcome.Passed, true, 5_000L), (check.Outcome, result.Steady, result.Completions));
        Assert.InRange(result.CutCompletions, 300, 1_500);
        Assert.True(result.SettledMeanMs < result.MeanMs);
    }

    [Fact]
    public void Run_that_never_settles_fails()
    {
        var (result, check) = WarmUpCut.Find(Series(5_000, i => i / 1_000.0), "latency");

        Assert.False(result.Steady);
        Assert.Equal((CheckOutcome.Failed, CheckSubject.System), (check.Outcome, check.Subject));
        Assert.StartsWith("not settled", check.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void The_fewest_completions_are_enough() =>
        Assert.Equal(
            1_000, WarmUpCut.Find(Series((int)WarmUpCut.MinimumCompletions, _ => 1), "latency").Result.Completions);

    [Fact]
    public void Long_series_keeps_its_means_in_bounded_memory()
    {
        var series = Series(1_000_000, i => i);

        Assert.Equal((1_000_000L, 640), (series.Count, series.GroupSize));
        Assert.InRange(series.Means.Count, 1_024, 2_047);
        Assert.Equal((640 - 1) / 2.0, series.Means[0], 6);
        Assert.Equal(640, series.Means[1] - series.Means[0], 6);
    }

    private static CompletionSeries Series(int count, Func<int, double> value)
    {
        var noise = Noise.Correlated(new Random(1), Math.Min(count, 10_000), 0);
        var series = new CompletionSeries();
        for (var i = 0; i < count; i++)
        {
            series.Add(value(i) + (count > 10_000 ? 0 : 0.1 * noise[i]));
        }

        return series;
    }
}
