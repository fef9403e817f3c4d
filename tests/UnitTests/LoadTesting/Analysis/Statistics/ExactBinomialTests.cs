namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class ExactBinomialTests
{
    // Closed form: without a hit the upper bound is 1 - (1 - confidence)^(1/n).
    [Theory]
    [InlineData(20)]
    [InlineData(10_000)]
    public void Bounds_at_the_extremes_have_their_closed_form(long trials)
    {
        Assert.Equal(1 - Math.Pow(0.05, 1.0 / trials), ExactBinomial.UpperBound(0, trials, 0.95), 9);
        Assert.Equal(1, ExactBinomial.UpperBound(trials, trials, 0.95));
    }

    // Clopper and Pearson's two-sided 95 % interval for 3 of 10: 0.0667 to 0.6525.
    [Fact]
    public void Bound_is_that_of_the_published_interval() =>
        Assert.Equal(0.6525, ExactBinomial.UpperBound(3, 10, 0.975), 4);

    [Fact]
    public void Bound_of_fifty_in_ten_thousand_is_below_seven_per_mille() =>
        Assert.InRange(ExactBinomial.UpperBound(50, 10_000, 0.95), 0.0062, 0.0064);

    // All of 5 hits on the second side with equal exposure: 1/2^5.
    [Fact]
    public void Two_counts_are_compared_by_the_binomial_of_their_exposure()
    {
        Assert.Equal(1.0 / 32, ExactBinomial.SecondIsHigher(0, 1000, 5, 1000), 12);
        Assert.Equal(1, ExactBinomial.SecondIsHigher(5, 1000, 0, 1000));
        Assert.Equal(0.25 * 0.25, ExactBinomial.SecondIsHigher(0, 3000, 2, 1000), 12);
    }

    [Theory]
    [InlineData(0, 0, 0.95)]
    [InlineData(-1, 10, 0.95)]
    [InlineData(11, 10, 0.95)]
    [InlineData(1, 10, 1)]
    public void Arguments_outside_their_range_are_refused(long hits, long trials, double confidence) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => ExactBinomial.UpperBound(hits, trials, confidence));
}
