namespace UnitTests.LoadTesting.Results;

public sealed class QuantityTests
{
    [Theory]
    [InlineData(0, "0 daily runs"), InlineData(1, "1 daily run"), InlineData(2, "2 daily runs"),
        InlineData(12_000, "12,000 daily runs")]
    public void Noun_follows_the_number(long count, string expected) =>
        Assert.Equal(expected, Quantity.Of(count, "daily run"));

    [Fact]
    public void Noun_of_a_part_follows_the_whole_and_may_be_irregular()
    {
        Assert.Equal("1 of 12 operations", Quantity.Of(1, 12, "operation"));
        Assert.Equal("0 of 1 operation", Quantity.Of(0, 1, "operation"));
        Assert.Equal("2 series", Quantity.Of(2, "series", "series"));
        Assert.Equal("is", Quantity.Noun(1, "is", "are"));
    }
}
