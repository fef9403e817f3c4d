namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Durations of ISO 8601, strictly: <c>PnW</c>, or <c>PnDTnHnMnS</c> with at least one part; only the last part may
/// have a decimal fraction (a dot and digits; what is smaller than 100 ns is cut). Years and months are refused,
/// because how long they are depends on the date.
/// </summary>
public static class IsoDuration
{
    /// <summary>The longest duration: 36,500 days, so that an instant now plus a duration always exists.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromDays(36_500);

    /// <summary>Longer texts are none.</summary>
    private const int LongestText = 64;

    /// <summary>Decimals that count: those behind are less than 100 ns of a week.</summary>
    private const int MostDecimals = 13;

    /// <summary>Reads a duration from zero to <see cref="Longest"/>.</summary>
    /// <param name="text">The duration, e.g. <c>PT0.1S</c>.</param>
    /// <param name="problem">What is wrong, with the value and the remedy; null when nothing is.</param>
    public static bool TryParse(string text, out TimeSpan duration, out string? problem)
    {
        duration = TimeSpan.Zero;
        problem = Problem(text, ref duration);
        return problem is null;
    }

    private static string? Problem(string text, ref TimeSpan duration)
    {
        var shown = StoreLimits.Excerpt(text, 40);
        if (text.Contains('-', StringComparison.Ordinal))
        {
            return $"The duration '{shown}' is negative; durations are zero or more.";
        }

        if (Ambiguous(text))
        {
            return $"The duration '{shown}' has years or months, whose length depends on the date; write days, e.g. "
                + "P30D, or weeks, e.g. P4W.";
        }

        if (Ticks(text) is not { } ticks)
        {
            return $"'{shown}' is not an ISO 8601 duration; write e.g. PT30S, PT0.1S, PT5M, P1DT12H or P2W.";
        }

        if (ticks > Longest.Ticks)
        {
            return $"The duration '{shown}' is longer than P{Longest.Days}D, the longest that is accepted.";
        }

        duration = TimeSpan.FromTicks((long)ticks);
        return null;
    }

    private static bool Ambiguous(string text)
    {
        var date = text.AsSpan(0,
            text.Contains('T', StringComparison.Ordinal) ? text.IndexOf('T', StringComparison.Ordinal) : text.Length);
        return date.StartsWith("P") && date.ContainsAny('Y', 'M');
    }

    private static decimal? Ticks(string text)
    {
        if (text.Length > LongestText || !text.StartsWith('P'))
        {
            return null;
        }

        var time = text.IndexOf('T', StringComparison.Ordinal);
        if (time < 0)
        {
            return Sum(text.AsSpan(1), text.EndsWith('W') ? "W" : "D", true);
        }

        // A fraction belongs to the smallest part, and there is a part after T.
        var days = time == 1 ? 0 : Sum(text.AsSpan(1, time - 1), "D", false);
        return days + Sum(text.AsSpan(time + 1), "HMS", true);
    }

    // Parts in the order of their units, each at most once, at least one.
    private static decimal? Sum(ReadOnlySpan<char> parts, string units, bool fractionAllowed)
    {
        if (parts.IsEmpty)
        {
            return null;
        }

        var sum = 0m;
        var nextUnit = 0;
        while (!parts.IsEmpty)
        {
            var end = parts.IndexOfAny(units);
            var unit = end <= 0 ? -1 : units.IndexOf(parts[end], StringComparison.Ordinal);
            var last = end == parts.Length - 1;
            if (unit < nextUnit || Number(parts[..end], fractionAllowed && last) is not { } number)
            {
                return null;
            }

            sum += number * TicksOf(units[unit]);
            nextUnit = unit + 1;
            parts = parts[(end + 1)..];
        }

        return sum;
    }

    private static decimal? Number(ReadOnlySpan<char> digits, bool fractionAllowed)
    {
        var dot = digits.IndexOf('.');
        var whole = dot < 0 ? digits : digits[..dot];
        var fraction = dot < 0 ? "0" : digits[(dot + 1)..];
        var wellFormed = whole.Length is >= 1 and <= 15 && fraction.Length >= 1 && (dot < 0 || fractionAllowed)
            && !whole.ContainsAnyExceptInRange('0', '9') && !fraction.ContainsAnyExceptInRange('0', '9');
        var counted = fraction.Length > MostDecimals ? digits[..(dot + 1 + MostDecimals)] : digits;
        return wellFormed ? decimal.Parse(counted, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture) : null;
    }

    private static long TicksOf(char unit) => unit switch
    {
        'W' => 7 * TimeSpan.TicksPerDay,
        'D' => TimeSpan.TicksPerDay,
        'H' => TimeSpan.TicksPerHour,
        'M' => TimeSpan.TicksPerMinute,
        _ => TimeSpan.TicksPerSecond,
    };
}
