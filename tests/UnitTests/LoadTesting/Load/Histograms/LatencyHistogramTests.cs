using FsCheck;
using FsCheck.Fluent;

namespace UnitTests.LoadTesting.Load.Histograms;

public sealed class LatencyHistogramTests
{
    private const double ErrorBound = 0.01;

    private static readonly Arbitrary<long[]> s_durations = Gen.Choose(0, 62)
        .SelectMany(
            bits => Gen.Choose(0, int.MaxValue).Select(low => (long)(low / (double)int.MaxValue * (1L << bits))))
        .ArrayOf()
        .ToArbitrary();

    [Fact]
    public void Histogram_merged_from_two_halves_equals_the_whole() =>
        Prop.ForAll(s_durations, durations =>
        {
            var merged = Of(durations.Take(durations.Length / 2));
            merged.Merge(Of(durations.Skip(durations.Length / 2)));
            return merged.ToSparseString() == Of(durations).ToSparseString() && merged.Count == durations.Length;
        }).Check(Config.QuickThrowOnFailure.WithQuietOnSuccess(true));

    [Fact]
    public void Every_percentile_is_within_one_percent_of_the_nearest_rank() =>
        Prop.ForAll(s_durations, durations =>
        {
            var sorted = durations.Order().ToArray();
            var histogram = Of(durations);
            return sorted.Length == 0 || new[] { 0, 10, 250, 500, 750, 900, 950, 990, 999, 1000 }.All(perMille =>
            {
                // By its definition, in whole numbers: the first duration that so many per mille of all do not exceed.
                var exact =
                    sorted.Where((_, index) => 1000L * (index + 1) >= (long)perMille * sorted.Length).First() / 1e6;
                return Math.Abs(histogram.PercentileMs(perMille / 10.0) - exact) <= exact * ErrorBound;
            });
        }).Check(Config.QuickThrowOnFailure.WithQuietOnSuccess(true));

    [Theory]
    [InlineData(1000, 1, 99.9)]
    [InlineData(25_000, 25, 99.9)]
    [InlineData(1_000_000, 1000, 99.9)]
    [InlineData(1000, 930, 7)]
    [InlineData(10_000, 1, 99.99)]
    public void Percentile_at_a_whole_rank_is_that_duration(int durations, int slow, double percentile)
    {
        var histogram =
            Of([.. Enumerable.Repeat(1_000_000L, durations - slow), .. Enumerable.Repeat(1_000_000_000L, slow)]);

        Assert.Equal(1, histogram.PercentileMs(percentile), 0.01);
        Assert.Equal(1000, histogram.PercentileMs(percentile + (100.0 / durations)), 10.0);
    }

    [Fact]
    public void Minimum_maximum_sum_and_count_are_exact() =>
        Prop.ForAll(s_durations, durations =>
        {
            var histogram = Of(durations);
            return durations.Length == 0
                ? double.IsNaN(histogram.MinMs) && double.IsNaN(histogram.AverageMs) && histogram.SumMs == 0
                : histogram.MinMs == durations.Min() / 1e6 && histogram.MaxMs == durations.Max() / 1e6
                    && histogram.Count == durations.Length
                    && histogram.SumMs == (double)durations.Aggregate(Int128.Zero, (sum, next) => sum + next) / 1e6;
        }).Check(Config.QuickThrowOnFailure.WithQuietOnSuccess(true));

    [Fact]
    public void Sparse_text_reads_back_without_loss() =>
        Prop.ForAll(s_durations, durations =>
        {
            var text = Of(durations).ToSparseString();
            var read = LatencyHistogram.Parse(text);
            return read.ToSparseString() == text && read.Count == durations.Length
                && read.PercentileMs(99).Equals(Of(durations).PercentileMs(99));
        }).Check(Config.QuickThrowOnFailure.WithQuietOnSuccess(true));

    [Fact]
    public void Percentiles_never_leave_the_exact_minimum_and_maximum()
    {
        var histogram = Of([1_000_003]);

        Assert.All(new[] { 0.0, 0.1, 50, 99, 100 },
            percentile => Assert.Equal(1.000003, histogram.PercentileMs(percentile), 9));
    }

    [Fact]
    public void A_no_op_below_a_microsecond_is_not_reported_as_zero()
    {
        var histogram = Of(Enumerable.Repeat(70L, 100));

        Assert.Equal(0.000070, histogram.PercentileMs(50), 9);
    }

    [Fact]
    public void The_extremes_of_the_range_are_recorded()
    {
        var histogram = new LatencyHistogram();
        histogram.RecordNanoseconds(long.MaxValue);
        histogram.RecordNanoseconds(-5);
        histogram.Record(TimeSpan.MaxValue);
        histogram.Record(TimeSpan.MinValue);

        Assert.Equal(4, histogram.Count);
        Assert.Equal(0, histogram.MinMs);
        Assert.Equal(long.MaxValue / 1e6, histogram.MaxMs);
        Assert.Equal(histogram.ToSparseString(), LatencyHistogram.Parse(histogram.ToSparseString()).ToSparseString());
    }

    [Fact]
    public void Buckets_hold_all_counts_in_ascending_order()
    {
        var histogram = Of([5_000_000, 5_000_001, 40, 7_000_000_000]);

        Assert.Equal(4, histogram.Buckets().Sum(bucket => bucket.Count));
        Assert.Equal(histogram.Buckets().OrderBy(bucket => bucket.LowMs), histogram.Buckets());
        Assert.All(histogram.Buckets(), bucket => Assert.True(bucket.LowMs <= bucket.HighMs));
        Assert.Equal(3, histogram.CountAtOrBelow(6));
    }

    [Theory]
    [InlineData(-0.1)]
    [InlineData(100.1)]
    [InlineData(double.NaN)]
    public void A_percentile_outside_0_to_100_is_refused_by_value(double percentile)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => Of([1]).PercentileMs(percentile));

        Assert.Contains(percentile.ToString(System.Globalization.CultureInfo.InvariantCulture), error.Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "another version")]
    [InlineData("llh9;6;0;0;0;", "llh9")]
    [InlineData("llh1;6;0;0;0", "5")]
    [InlineData("llh1;7;0;0;0;", "'7'")]
    [InlineData("llh1;6;x;0;0;", "'x'")]
    [InlineData("llh1;6;0;0;-1;", "'-1'")]
    [InlineData("llh1;6;1;1;1;", "no entries")]
    [InlineData("llh1;6;1;1;1;1:0", "'1:0'")]
    [InlineData("llh1;6;1;1;2;1,0", "'0'")]
    [InlineData("llh1;6;1;1;1;9999", "9999")]
    [InlineData("llh1;6;2;2;2;1", "first or last bucket")]
    [InlineData("llh1;6;1;1;7;1", "sum 7")]
    [InlineData("llh1;6;1;1;1;1:9999999999999999999999", "9999999999999999999999")]
    public void Malformed_histogram_text_is_refused_with_the_wrong_part(string text, string named)
    {
        var error = Assert.Throws<FormatException>(() => LatencyHistogram.Parse(text));

        Assert.Contains(named, error.Message, StringComparison.Ordinal);
    }

    private static LatencyHistogram Of(IEnumerable<long> nanoseconds)
    {
        var histogram = new LatencyHistogram();
        foreach (var duration in nanoseconds)
        {
            histogram.RecordNanoseconds(duration);
        }

        return histogram;
    }
}
