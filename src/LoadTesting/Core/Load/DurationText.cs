namespace LoadTesting.Core.Load;

/// <summary>Reads durations in configurations, options and environment variables.</summary>
public static partial class DurationText
{
    /// <summary>The accepted formats, for messages: <c>It is ...</c></summary>
    public const string Forms =
        "a whole number of at most six digits and a unit, ms, s, m or h, such as 500ms, 90s, 10m or 1h; or "
        + "hours:minutes:seconds, such as 00:00:30 or 36:00:00";

    /// <summary>
    /// Reads a duration, which may be zero. False for anything else, including a number without a unit.
    /// </summary>
    public static bool TryRead(string? text, out TimeSpan duration)
    {
        duration = TimeSpan.Zero;
        var trimmed = text?.Trim() ?? "";
        if (WithUnit().Match(trimmed) is { Success: true } unit)
        {
            var number = int.Parse(unit.Groups[1].ValueSpan, CultureInfo.InvariantCulture);
            duration = unit.Groups[2].Value switch
            {
                "ms" => TimeSpan.FromMilliseconds(number),
                "s" => TimeSpan.FromSeconds(number),
                "m" => TimeSpan.FromMinutes(number),
                _ => TimeSpan.FromHours(number),
            };
            return true;
        }

        if (Clock().Match(trimmed) is not { Success: true } clock)
        {
            return false;
        }

        int Part(int group) =>
            clock.Groups[group].Success ? int.Parse(clock.Groups[group].ValueSpan, CultureInfo.InvariantCulture) : 0;
        duration = new TimeSpan(Part(1), Part(2), Part(3), Part(4)) + TimeSpan.FromTicks(
            clock.Groups[5].Success
                ? int.Parse(clock.Groups[5].Value.PadRight(7, '0'), CultureInfo.InvariantCulture)
                : 0);
        return true;
    }

    /// <summary>Reads a duration.</summary>
    /// <param name="text">The text.</param>
    /// <param name="name">Name of the setting, for the message.</param>
    /// <exception cref="FormatException">The text is not a duration; the message gives the accepted
    /// formats.</exception>
    public static TimeSpan Read(string? text, string name) => TryRead(text, out var duration)
        ? duration
        : throw new FormatException($"{name} is '{text}'. It is {Forms}.");

    /// <summary>Writes a duration in its largest whole unit, readable by <see cref="TryRead"/>.</summary>
    public static string Write(TimeSpan duration)
    {
        var (number, unit) =
            duration.Ticks % TimeSpan.TicksPerHour == 0 ? (duration.TotalHours, "h")
            : duration.Ticks % TimeSpan.TicksPerMinute == 0 ? (duration.TotalMinutes, "m")
            : duration.Ticks % TimeSpan.TicksPerSecond == 0 ? (duration.TotalSeconds, "s")
            : (duration.TotalMilliseconds, "ms");
        return string.Create(CultureInfo.InvariantCulture, $"{number:0}{unit}");
    }

    [GeneratedRegex("^0*([0-9]{1,6})(ms|s|m|h)$")]
    private static partial Regex WithUnit();

    /// <summary>Days and a point may precede the hours, which are then less than 24.</summary>
    [GeneratedRegex(
        @"^(?:([0-9]{1,6})\.(?=[01]?[0-9]:|2[0-3]:))?([0-9]{1,6}):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,7}))?$")]
    private static partial Regex Clock();
}
