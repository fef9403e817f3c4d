namespace UnitTests.LoadTesting.Load;

public sealed class DurationTextTests
{
    [Theory]
    [InlineData("500ms", 0.5), InlineData("90s", 90), InlineData(" 10m ", 600), InlineData("01h", 3_600),
        InlineData("36h", 129_600)]
    [InlineData("00:00:30", 30), InlineData("23:59:59", 86_399), InlineData("24:00:00", 86_400),
        InlineData("36:00:00", 129_600)]
    [InlineData("100:30:00.25", 361_800.25), InlineData("1.02:00:00", 93_600), InlineData("0:00:01", 1),
        InlineData("00:00:00", 0)]
    public void Duration_is_read(string text, double seconds) =>
        Assert.Equal(TimeSpan.FromSeconds(seconds), DurationText.Read(text, "it"));

    [Theory]
    [InlineData("30"), InlineData("1.5"), InlineData("00:30"), InlineData("00:60:00"), InlineData("00:00:60"),
        InlineData("1.24:00:00")]
    [InlineData("-00:00:30"), InlineData("-5s"), InlineData("1d"), InlineData("1h30m"), InlineData("10 s"),
        InlineData("soon")]
    [InlineData(""), InlineData(null), InlineData("٣s"), InlineData("1000000s"), InlineData("00:00:30\n\n30")]
    public void Invalid_duration_is_refused_with_the_forms(string? text)
    {
        var refused = Assert.Throws<FormatException>(() => DurationText.Read(text, "--duration"));

        AssertHolds(refused.Message, $"--duration is '{text}'", "500ms, 90s, 10m or 1h", "00:00:30 or 36:00:00");
    }

    [Theory]
    [InlineData("45s"), InlineData("10m"), InlineData("36h"), InlineData("1500ms")]
    public void Duration_is_written_as_it_is_read(string text) =>
        Assert.Equal(text, DurationText.Write(DurationText.Read(text, "it")));
}
