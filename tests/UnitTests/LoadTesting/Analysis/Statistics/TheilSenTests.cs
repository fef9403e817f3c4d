namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class TheilSenTests
{
    [Fact]
    public void A_straight_line_is_found_exactly()
    {
        var fit = TheilSen.Fit(Places(20), [.. Places(20).Select(x => 3 + (0.5 * x))]);

        Assert.Equal((0.5, 0.5, 0.5, 3, 20), (fit.Slope, fit.Low, fit.High, fit.Intercept, fit.Count));
        Assert.False(fit is { Low: <= 0, High: >= 0 });
        Assert.Equal(8, fit.At(10), 9);
    }

    [Fact]
    public void A_constant_has_no_slope()
    {
        var fit = TheilSen.Fit(Places(30), [.. Places(30).Select(_ => 42.0)]);

        Assert.Equal((0.0, 0.0, 0.0, 42.0), (fit.Slope, fit.Low, fit.High, fit.Intercept));
        Assert.True(fit is { Low: <= 0, High: >= 0 });
    }

    [Fact]
    public void A_quarter_of_wild_values_does_not_move_the_slope()
    {
        var fit = TheilSen.Fit(Places(40), [.. Places(40).Select(x => x % 4 == 0 ? 1_000 : 2 * x)]);

        Assert.InRange(fit.Slope, 1.6, 2.4);
    }

    [Fact]
    public void Interval_holds_the_true_slope_as_often_as_it_says()
    {
        var random = new Random(1);
        var inside = 0;
        const int Trials = 2_000;
        for (var trial = 0; trial < Trials; trial++)
        {
            var noise = Noise.Correlated(random, 40, 0);
            var fit = TheilSen.Fit(Places(40), [.. Places(40).Select(x => (0.05 * x) + noise[(int)x])], 0.95);
            inside += fit.Low <= 0.05 && fit.High >= 0.05 ? 1 : 0;
        }

        // 95 % of 2,000 with four standard errors on either side.
        Assert.InRange((double)inside / Trials, 0.93, 0.97);
    }

    [Fact]
    public void Order_of_the_points_does_not_matter()
    {
        double[] y = [5, 3, 8, 1, 9, 2, 7, 4, 6, 0, 11, 10];
        var forward = TheilSen.Fit(Places(12), y);
        var backward = TheilSen.Fit([.. Places(12).Reverse()], [.. y.Reverse()]);

        Assert.Equal(forward, backward);
    }

    [Theory]
    [InlineData(9, 9, "9 places and 9 values")]
    [InlineData(12, 11, "12 places and 11 values")]
    public void Too_few_points_are_refused_with_their_number(int places, int values, string complaint) =>
        Assert.Contains(
            complaint, Assert.Throws<ArgumentException>(() => TheilSen.Fit(Places(places), Places(values))).Message,
            StringComparison.Ordinal);

    [Fact]
    public void Invalid_number_is_refused() =>
        Assert.Throws<ArgumentException>(
            () => TheilSen.Fit(Places(12), [.. Places(12).Select(x => x == 5 ? double.NaN : x)]));

    [Fact]
    public void A_confidence_of_one_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => TheilSen.Fit(Places(12), Places(12), 1));

    private static double[] Places(int count) => [.. Enumerable.Range(0, count).Select(i => (double)i)];
}
