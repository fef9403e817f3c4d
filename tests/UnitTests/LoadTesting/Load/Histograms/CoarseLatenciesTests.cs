namespace UnitTests.LoadTesting.Load.Histograms;

public sealed class CoarseLatenciesTests
{
    [Fact]
    public void Latencies_are_in_tenths_of_a_decade()
    {
        var text = CoarseLatencies.Of(Of(1.1, 1.1, 1.3, 2.1, 0.0001, 40_000_000))!;
        var counts = CoarseLatencies.Parse(text);

        Assert.Equal("0:1", text[..3]);
        Assert.Equal([(0, 1L), (30, 2L), (31, 1L), (33, 1L), (99, 1L)], counts.Index().Where(count => count.Item > 0));
        Assert.Equal(1, CoarseLatencies.FromMs(30), 1e-9);
        Assert.Null(CoarseLatencies.Of(Of()));
        Assert.Equal("30:2,1", CoarseLatencies.Of(Of(1.1, 1.1, 1.3)));
    }

    [Theory]
    [InlineData("")]
    [InlineData("30")]
    [InlineData("-1:3")]
    [InlineData("30:x")]
    [InlineData("99:1,1")]
    [InlineData("30:-1")]
    [InlineData("1:2:3")]
    public void Invalid_text_is_refused_with_its_value(string text)
    {
        var error = Assert.Throws<FormatException>(() => CoarseLatencies.Parse(text));

        Assert.Contains($"this is '{text}'", error.Message, StringComparison.Ordinal);
    }

    private static LatencyHistogram Of(params double[] milliseconds)
    {
        var histogram = new LatencyHistogram();
        Array.ForEach(milliseconds, ms => histogram.Record(TimeSpan.FromMilliseconds(ms)));
        return histogram;
    }
}
