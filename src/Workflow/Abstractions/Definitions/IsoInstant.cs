using System.Text.RegularExpressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Instants of ISO 8601, strictly: <c>2026-03-17T08:00:00Z</c> or with an offset such as <c>+01:00</c>; seconds may be
/// left out or have decimals, of which those past the seventh are cut. An instant without offset is refused, because it
/// would mean another time on every machine.
/// </summary>
public static partial class IsoInstant
{
    /// <summary>Longer texts are none.</summary>
    private const int LongestText = 64;

    /// <summary>Up to seven decimals and Z: longer ones may have more decimals.</summary>
    private const int LongestKept = 28;

    private static readonly string[] Formats =
        ["yyyy-MM-dd'T'HH:mm:sszzz", "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFzzz", "yyyy-MM-dd'T'HH:mmzzz"];

    /// <param name="text">The instant, e.g. <c>2026-03-17T08:00:00Z</c>.</param>
    /// <param name="problem">What is wrong, with the value and the remedy; null when nothing is.</param>
    public static bool TryParse(string text, out DateTimeOffset instant, out string? problem)
    {
        if (TryRead(text, out instant))
        {
            problem = null;
            return true;
        }

        problem =
            $"'{StoreLimits.Excerpt(text, 40)}' is not an ISO 8601 instant with offset; write e.g. "
                + "2026-03-17T08:00:00Z.";
        return false;
    }

    /// <summary>
    /// An instant that is computed. It may come from anywhere, so one without an offset is UTC, also a date alone.
    /// </summary>
    public static bool TryParseComputed(string text, out DateTimeOffset instant) =>
        TryRead(text, out instant) || TryRead(text + "Z", out instant) || TryRead(text + "T00:00Z", out instant);

    private static bool TryRead(string text, out DateTimeOffset instant)
    {
        instant = default;
        if (text.Length > LongestText)
        {
            return false;
        }

        var kept = text.Length > LongestKept ? SmallerThanTicks().Replace(text, "") : text;
        var offset = kept.EndsWith('Z') ? $"{kept.AsSpan(0, kept.Length - 1)}+00:00" : kept;
        return offset.Length >= 6 && offset[^3] == ':' && offset[^6] is '+' or '-'
            && DateTimeOffset.TryParseExact(
                offset, Formats, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal, out instant);
    }

    [GeneratedRegex(@"(?<=\.[0-9]{7})[0-9]+", RegexOptions.CultureInvariant)]
    private static partial Regex SmallerThanTicks();
}
