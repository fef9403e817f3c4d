namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class Mser5Tests
{
    [Fact]
    public void Only_a_slow_beginning_is_cut_off()
    {
        var noise = Noise.Correlated(new Random(1), 300, 0);

        // Decays to a tenth of the noise within 60 values.
        var cut = Mser5.Find([.. noise.Select((e, i) => 100 + e + (40 * Math.Exp(-i / 10.0)))]);

        Assert.True(cut.IsSteady);
        Assert.Equal(60, cut.Batches);
        Assert.InRange(cut.Values, 20, 60);
    }

    [Fact]
    public void A_series_that_keeps_growing_has_not_settled()
    {
        var noise = Noise.Correlated(new Random(2), 300, 0);

        Assert.False(Mser5.Find([.. noise.Select((e, i) => e + (0.1 * i))]).IsSteady);
    }

    [Fact]
    public void A_constant_is_steady_from_its_beginning() =>
        Assert.Equal(new Mser5Cut(0, 20, true), Mser5.Find([.. Enumerable.Repeat(7.0, 103)]));

    /// <summary>The figures that <see cref="Mser5.MinimumValues"/> quotes, at the minimum and at 200 values.</summary>
    [Theory]
    [InlineData(100, 0, 0.04)]
    [InlineData(100, 0.9, 0.12)]
    [InlineData(200, 0, 0.01)]
    [InlineData(200, 0.9, 0.05)]
    public void A_settled_series_is_seldom_taken_for_an_unsettled_one(int values, double correlation, double atMost)
    {
        var random = new Random(3);
        const int Trials = 2_000;
        var alarms = Enumerable.Range(0, Trials)
            .Count(_ => !Mser5.Find(
                [.. Noise.Correlated(random, values, correlation).Select(e => Math.Exp(0.3 * e))]).IsSteady);

        Assert.InRange((double)alarms / Trials, 0, atMost);
    }

    [Fact]
    public void Too_few_values_are_refused_with_their_number() =>
        Assert.Contains(
            "99", Assert.Throws<ArgumentException>(() => Mser5.Find(new double[99])).Message, StringComparison.Ordinal);
}
