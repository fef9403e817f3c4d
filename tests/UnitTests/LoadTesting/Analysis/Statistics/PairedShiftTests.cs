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
    public void Bounds_of_ten_pairs_are_the_sixth_walsh_averages()
    {
        var shift = new PairedShift([.. Enumerable.Range(1, 10).Select(i => (double)i)]);

        Assert.Equal((5.5, 2.5, 8.5), (shift.Estimate, shift.LowerBound(0.01), shift.UpperBound(0.01)));
    }

    [Fact]
    public void Six_pairs_have_no_bound_at_one_per_cent() =>
        Assert.Null(new PairedShift([1, 2, 3, 4, 5, 6]).LowerBound(0.01));

    [Fact]
    public void Detectable_shift_grows_with_noise_and_shrinks_with_pairs()
    {
        Assert.Equal(3.3 * Math.Sqrt(2) / Math.Sqrt(2), new PairedShift([-1, 1]).Detectable!.Value, 12);
        Assert.Null(new PairedShift([1]).Detectable);
    }

    // Nominal 1 % for symmetric noise, less with ties and few pairs. Three standard errors are 0.2 %.
    [Theory]
    [InlineData(10)]
    [InlineData(8)]
    [InlineData(14)]
    public void Lower_bound_is_wrong_as_seldom_as_its_level_says(int pairs)
    {
        var random = new Random(42);
        var wrong = Enumerable.Range(0, 20_000).Count(_ =>
            new PairedShift([.. Enumerable.Range(0, pairs).Select(_ => Math.Cbrt(random.NextDouble() - 0.5))])
                .LowerBound(0.01) > 0);

        var exact = SignedRank.Probabilities(pairs)[..(SignedRank.Critical(pairs, 0.01)!.Value + 1)].Sum();
        Assert.InRange(wrong / 20_000.0, exact - 0.0021, exact + 0.0021);
    }

    [Fact]
    public void Empty_or_NaN_input_is_refused()
    {
        Assert.Throws<ArgumentException>(() => new PairedShift([]));
        Assert.Throws<ArgumentException>(() => new PairedShift([1, double.NaN]));
    }
}

public sealed class SignedRankTests
{
    // Published one-sided table of the signed-rank statistic, with its exact probabilities.
    [Theory]
    [InlineData(10, 0.01, 5, 0.0098)]
    [InlineData(8, 0.01, 1, 0.0078)]
    [InlineData(7, 0.01, 0, 0.0078)]
    [InlineData(10, 0.05, 10, 0.0420)]
    [InlineData(15, 0.05, 30, 0.0473)]
    [InlineData(10, 0.001, 0, 0.00098)]
    public void Critical_value_and_its_probability_are_those_of_the_table(
        int pairs, double level, int critical, double probability)
    {
        Assert.Equal(critical, SignedRank.Critical(pairs, level));
        Assert.Equal(probability, SignedRank.Probabilities(pairs)[..(critical + 1)].Sum(), 4);
    }

    [Theory]
    [InlineData(6, 0.01, 0.015625)]
    [InlineData(9, 0.001, 0.001953125)]
    public void Level_that_so_few_pairs_cannot_reach_has_no_critical_value(int pairs, double level, double smallest)
    {
        Assert.Null(SignedRank.Critical(pairs, level));
        Assert.Equal(smallest, SignedRank.Probabilities(pairs)[0], 12);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(11)]
    public void Distribution_agrees_with_counting_all_signs(int pairs)
    {
        var sums = Enumerable.Range(0, 1 << pairs)
            .Select(signs => Enumerable.Range(1, pairs).Where(rank => (signs & (1 << (rank - 1))) != 0).Sum()).ToList();
        for (var t = -1; t <= pairs * (pairs + 1) / 2; t++)
        {
            Assert.Equal(
                sums.Count(sum => sum <= t) / (double)sums.Count, SignedRank.Probabilities(pairs)[..(t + 1)].Sum(), 12);
        }
    }

    [Theory]
    [InlineData(0, 0.01)]
    [InlineData(1001, 0.01)]
    [InlineData(10, 0)]
    [InlineData(10, 1)]
    public void Arguments_outside_their_range_are_refused(int pairs, double level) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => SignedRank.Critical(pairs, level));
}
