using LoadTesting.Core.Analysis.Statistics;

namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class PairedShiftTests
{
    [Fact]
    public void Walsh_averages_are_all_halved_sums_in_order() =>
        Assert.Equal([-1.0, 0.5, 1.5, 2, 3, 4], PairedShift.WalshAverages([4, -1, 2]));

    [Fact]
    public void Estimate_is_the_median_walsh_average() => Assert.Equal(1.75, new PairedShift([4, -1, 2]).Estimate);

    // Differences 1 to 10: the Walsh averages are 1, 1.5, 2, 2, 2.5, 2.5, 3, ... and symmetric about 5.5.
    [Fact]
    public void Bounds_of_ten_pairs_are_the_sixth_smallest_and_sixth_greatest_walsh_average()
    {
        var shift = new PairedShift([.. Enumerable.Range(1, 10).Select(i => (double)i)]);

        Assert.Equal((5.5, 2.5, 8.5), (shift.Estimate, shift.LowerBound(0.01), shift.UpperBound(0.01)));
    }

    [Fact]
    public void Six_pairs_have_no_bound_at_one_per_cent() => Assert.Null(new PairedShift([1, 2, 3, 4, 5, 6]).LowerBound(0.01));

    [Fact]
    public void Detectable_shift_grows_with_noise_and_shrinks_with_pairs()
    {
        Assert.Equal(3.3 * Math.Sqrt(2) / Math.Sqrt(2), new PairedShift([-1, 1]).Detectable!.Value, 12);
        Assert.Null(new PairedShift([1]).Detectable);
    }

    // Nominal 1 % for any symmetric noise; ties and few pairs only make it smaller. 20,000 draws: three standard errors are 0.2 %.
    [Theory]
    [InlineData(10)]
    [InlineData(8)]
    [InlineData(14)]
    public void Lower_bound_is_wrong_as_seldom_as_its_level_says(int pairs)
    {
        var random = new Random(42);
        var wrong = Enumerable.Range(0, 20_000).Count(_ =>
            new PairedShift([.. Enumerable.Range(0, pairs).Select(_ => Math.Cbrt(random.NextDouble() - 0.5))]).LowerBound(0.01) > 0);

        var exact = SignedRank.CumulativeProbability(pairs, SignedRank.Critical(pairs, 0.01)!.Value);
        Assert.InRange(wrong / 20_000.0, exact - 0.0021, exact + 0.0021);
    }

    [Fact]
    public void Nothing_or_what_is_no_number_is_refused()
    {
        Assert.Throws<ArgumentException>(() => new PairedShift([]));
        Assert.Throws<ArgumentException>(() => new PairedShift([1, double.NaN]));
    }
}
