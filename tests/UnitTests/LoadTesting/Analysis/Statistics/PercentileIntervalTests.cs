namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class PercentileIntervalTests
{
    /// <summary>Of 1,000 samples of an exponential distribution about 950 intervals hold its true percentile.</summary>
    [Theory]
    [InlineData(50)]
    [InlineData(95)]
    public void Interval_covers_the_percentile_as_often_as_stated(double percentile)
    {
        var truth = -10 * Math.Log(1 - (percentile / 100));
        var random = new Random(11);

        var held = Enumerable.Range(0, 1000).Count(_ =>
        {
            var (low, high) =
                PercentileInterval.Of(Sample(300, () => -10 * Math.Log(1 - random.NextDouble())), percentile);
            return (low ?? 0) <= truth * 1.01 && truth * 0.99 <= (high ?? double.MaxValue);
        });

        Assert.InRange(held, 930, 990);
    }

    [Fact]
    public void What_the_sample_does_not_bound_has_no_end()
    {
        var twenty = Sample(20, () => 5);

        Assert.Equal((null, null), PercentileInterval.Of(Sample(3, () => 5), 50));
        Assert.Null(PercentileInterval.Of(twenty, 95).HighMs);
        Assert.NotNull(PercentileInterval.Of(twenty, 95).LowMs);
        Assert.Throws<ArgumentOutOfRangeException>(() => PercentileInterval.Of(twenty, 100));
    }

    private static LatencyHistogram Sample(int size, Func<double> ms)
    {
        var histogram = new LatencyHistogram();
        for (var index = 0; index < size; index++)
        {
            histogram.Record(TimeSpan.FromMilliseconds(ms()));
        }

        return histogram;
    }
}
