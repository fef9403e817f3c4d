namespace UnitTests.LoadTesting.Load;

public sealed class InstantTextTests
{
    [Theory]
    [InlineData("2026-11-28T21:30:00Z", "2026-11-28T21:30:00.0000000+00:00")]
    [InlineData("2026-11-28t21:30:00z", "2026-11-28T21:30:00.0000000+00:00")]
    [InlineData("2026-11-28 22:30:00+01:00", "2026-11-28T22:30:00.0000000+01:00")]
    [InlineData("2030-01-31T12:00:00.123456789Z", "2030-01-31T12:00:00.1234567+00:00")]
    public void Instant_is_read(string text, string expected) =>
        Assert.Equal(expected, $"{InstantText.Read(text, "it"):O}");

    [Theory]
    [InlineData("2026-11-28T21:30:00"), InlineData("2026-11-28"), InlineData("28.11.2026 21:30"),
        InlineData("11/12/2026 9:00Z")]
    [InlineData("2026-02-30T00:00:00Z"), InlineData("2026-11-28T24:00:00Z"), InlineData("soon"), InlineData("")]
    public void Invalid_instant_is_refused_with_the_forms(string text)
    {
        var refused = Assert.Throws<FormatException>(() => InstantText.Read(text, "--start-at"));

        AssertHolds(refused.Message, $"--start-at is '{text}'", "such as 2026-11-28T21:30:00Z");
    }
}
