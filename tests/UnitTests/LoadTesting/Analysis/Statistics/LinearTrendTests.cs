namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class LinearTrendTests
{
    /// <summary>By hand for y = 0, 2, 1, 3, 4: slope 0.9, residual sum 1.9, standard error 0.2517, t 2.3534.</summary>
    [Fact]
    public void Slope_and_its_upper_limit_are_those_of_the_book()
    {
        var trend = LinearTrend.Of([(0, 0), (1, 2), (2, 1), (3, 3), (4, 4)])!;

        Assert.Equal(0.9, trend.Slope, 1e-9);
        Assert.Equal(0.9 + (2.3534 * 0.2517), trend.SlopeUpper95, 1e-3);
    }

    [Fact]
    public void True_slope_lies_above_the_limit_in_one_of_twenty()
    {
        var random = new Random(3);
        var missed = Enumerable.Range(0, 2_000)
            .Select(_ => LinearTrend.Of([.. Enumerable.Range(0, 40)
                .Select(i => ((double)i, (0.5 * i) + MathNet.Numerics.Distributions.Normal.Sample(random, 0, 3)))])!)
            .Count(trend => trend.SlopeUpper95 < 0.5);

        Assert.InRange(missed, 70, 130);
    }

    [Fact]
    public void Too_few_points_or_a_single_x_have_no_slope()
    {
        Assert.Null(LinearTrend.Of([(0, 1), (1, 2)]));
        Assert.Null(LinearTrend.Of([(1, 1), (1, 2), (1, 3)]));
    }
}
