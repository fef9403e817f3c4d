namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class KneedleTests
{
    /// <summary>
    /// An M/M/1 queue: latency 1 / (1 - load). On 0..0.95 the curve lies furthest below its chord at 1 - sqrt(0.05) = 0.776.
    /// </summary>
    [Fact]
    public void Knee_of_a_queue_is_where_the_curve_is_furthest_from_its_chord()
    {
        var knee = Kneedle.Find([.. Enumerable.Range(0, 96).Select(i => (i / 100.0, 1 / (1 - (i / 100.0))))]);

        Assert.Equal(0.776, knee.X!.Value, 0.01);
        Assert.Null(knee.Reason);
    }

    [Fact]
    public void Flat_then_steep_has_its_knee_at_the_last_flat_load_step()
    {
        var knee = Kneedle.Find([(100, 2.0), (141, 2.1), (200, 2.0), (283, 2.2), (400, 2.4), (566, 200), (800, 300)]);

        Assert.Equal((4, 400d), (knee.Index, knee.X));
    }

    [Theory]
    [InlineData("nowhere bends upwards", 1d, 2d, 3d, 4d, 5d, 6d)]
    [InlineData("nowhere bends upwards", 1d, 8d, 12d, 14d, 15d, 15.5)]
    [InlineData("fainter than the distance", 0d, 0.9, 1.9, 3d, 4d, 5d)]
    [InlineData("no higher than the first", 5d, 4d, 3d, 4d, 5d, 5d)]
    [InlineData("3 points", 1d, 2d, 9d)]
    public void Curve_without_a_knee_says_why(string reason, params double[] y)
    {
        var knee = Kneedle.Find([.. y.Select((value, index) => ((double)index, value))]);

        Assert.Null(knee.X);
        Assert.Contains(reason, knee.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Points_out_of_order_or_not_finite_are_named()
    {
        Assert.Contains("x 2 follows 3", Kneedle.Find([(1, 1), (3, 2), (2, 3), (4, 9)]).Reason, StringComparison.Ordinal);
        Assert.Contains("point 1 is (2, NaN)", Kneedle.Find([(1, 1), (2, double.NaN), (3, 3), (4, 9)]).Reason, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => Kneedle.Find([(1, 1), (2, 2), (3, 3), (4, 9)], sensitivity: 0));
    }
}
