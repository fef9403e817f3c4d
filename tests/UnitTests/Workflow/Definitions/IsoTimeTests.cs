namespace UnitTests.Workflow.Definitions;

/// <summary>Durations and instants are read strictly.</summary>
public sealed class IsoTimeTests
{
    [Theory]
    [InlineData("PT0S", 0)]
    [InlineData("PT30S", 30)]
    [InlineData("PT0.1S", 0.1)]
    [InlineData("PT0.0000001S", 0.0000001)]
    [InlineData("PT0.00000001S", 0), InlineData("PT0.12345678901234567890S", 0.1234567),
        InlineData("PT1.99999999999999999999999999999999S", 1.9999999)]
    [InlineData("PT0.00000000028H", 0.000001), InlineData("P0.333333333333333333333333D", 28799.9999999)]
    [InlineData("PT1.5H", 5400)]
    [InlineData("PT2M3.5S", 123.5)]
    [InlineData("PT1H1S", 3601)]
    [InlineData("P1D", 86400)]
    [InlineData("P0.5D", 43200)]
    [InlineData("P1DT1H", 90000)]
    [InlineData("P2W", 1209600)]
    [InlineData("PT90S", 90)]
    [InlineData("P36500D", 3153600000)]
    public void Durations_are_read(string text, double seconds)
    {
        Assert.True(IsoDuration.TryParse(text, out var duration, out var problem), problem);
        Assert.Equal((decimal)seconds * TimeSpan.TicksPerSecond, duration.Ticks);
    }

    [Theory]
    [InlineData("-PT5S", "negative")]
    [InlineData("PT-5S", "negative")]
    [InlineData("P1M", "years or months")]
    [InlineData("P1Y", "years or months")]
    [InlineData("P1Y2DT3H", "years or months")]
    [InlineData("P36501D", "longer than P36500D")]
    [InlineData("P999999999999999W", "longer than P36500D")]
    [InlineData(""), InlineData("P"), InlineData("PT"), InlineData("P1DT"), InlineData("PT5"), InlineData("PTS")]
    [InlineData("PT.5S"), InlineData("PT5.S"), InlineData("PT1,5S"), InlineData("PT1.5H1S"), InlineData("P1.5DT1H")]
    [InlineData("PT1S1M"), InlineData("PT1S1S"), InlineData("P1W1D"), InlineData("P1H"), InlineData("P1WT1H")]
    [InlineData("pt5s"), InlineData(" PT5S"), InlineData("PT5S "), InlineData("+PT5S"), InlineData("PT\u0665S")]
    [InlineData("PT0.S"), InlineData("00:00:05")]
    public void Other_durations_are_refused(string text, string message = "not an ISO 8601 duration")
    {
        Assert.False(IsoDuration.TryParse(text, out var duration, out var problem));
        Assert.Contains(message, problem, StringComparison.Ordinal);
        Assert.Equal(TimeSpan.Zero, duration);
    }

    [Theory]
    [InlineData("2026-03-17T08:00:00Z", 0)]
    [InlineData("2026-03-17T08:00Z", 0)]
    [InlineData("2026-03-17T09:00:00+01:00", 0)]
    [InlineData("2026-03-17T08:00:00.25Z", 0.25)]
    [InlineData("2026-03-17T08:00:00.1234567Z", 0.1234567)]
    [InlineData("2026-03-17T08:00:00.123456789Z", 0.1234567),
        InlineData("2026-03-17T09:00:00.12345678+01:00", 0.1234567)]
    [InlineData("2026-03-17T08:00:00.99999999999999999999999999999999Z", 0.9999999),
        InlineData("2026-03-17T08:00:00.00000000Z", 0)]
    public void Instants_are_read(string text, double seconds)
    {
        Assert.True(IsoInstant.TryParse(text, out var instant, out var problem), problem);
        Assert.Equal(
            new DateTimeOffset(2026, 3, 17, 8, 0, 0, TimeSpan.Zero)
                .AddTicks((long)((decimal)seconds * TimeSpan.TicksPerSecond)), instant);
        Assert.Equal(TimeSpan.Zero, instant.Offset);
    }

    [Theory]
    [InlineData("2026-03-17T09:00:00+01:00", "2026-03-17T08:00:00Z")]
    [InlineData("2026-03-17T08:00:00", "2026-03-17T08:00:00Z"), InlineData("2026-03-17", "2026-03-17T00:00:00Z")]
    [InlineData("2026-03-17T08:00:00.123456789Z", "2026-03-17T08:00:00.1234567Z")]
    [InlineData("2026-03-17T08:00:00.123456789", "2026-03-17T08:00:00.1234567Z")]
    [InlineData("12:00", null), InlineData("03/04/2026", null), InlineData("2026-03-17 08:00", null),
        InlineData("", null)]
    public void Instants_that_are_computed_may_lack_an_offset(string text, string? expected)
    {
        Assert.Equal(expected is not null, IsoInstant.TryParseComputed(text, out var instant));
        Assert.Equal(
            expected is null ? default : DateTimeOffset.Parse(expected, CultureInfo.InvariantCulture), instant);
    }

    /// <summary>One reader for constants and expressions, wherever a time stands.</summary>
    [Theory]
    [InlineData("'type':'delay','until':'2030-01-31T12:00:00.123456789Z','next':'done'")]
    [InlineData("'type':'delay','until':'= \\\"2030-01-31T12:00:00.123456789+01:00\\\"','next':'done'")]
    [InlineData("'type':'delay','duration':'PT0.123456789S','next':'done'")]
    [InlineData("'type':'task','timeout':'PT1.00000000001H','onTimeout':'done','next':'done'")]
    [InlineData(
        "'type':'invoke','activity':'echo','retry':{'maxAttempts':2,'initialInterval':'PT0.00000000001S'},'next':'done'")]
    [InlineData(
        "'type':'waitFirst','events':[{'until':'2030-01-31T12:00:00.1234567891Z','next':'done'},{'duration':'P0.123456789D','next':'done'}]")]
    public void Times_with_more_decimals_than_are_kept_are_read_everywhere(string step) => Compile.Good(
        Compile.Steps("s", $"'s':{{{step}}},'done':{{'type':'end'}}".Replace('\'', '"')));

    [Theory]
    [InlineData(""), InlineData("Z"), InlineData("2026-03-17"), InlineData("2026-03-17T08:00:00")]
    [InlineData("2026-02-30T08:00:00Z"), InlineData("2026-03-17 08:00:00Z"), InlineData("2026-03-17T08:00:00z")]
    [InlineData("2026-03-17T08:00:00+0100"), InlineData("2026-03-17T08:00:00+01")]
    [InlineData("0001-01-01T00:00:00+14:00"), InlineData("2026-03-17T08:00:00.1234567891")]
    public void Other_instants_are_refused(string text)
    {
        Assert.False(IsoInstant.TryParse(text, out _, out var problem));
        Assert.Contains($"'{text}' is not an ISO 8601 instant with offset", problem, StringComparison.Ordinal);
    }
}
