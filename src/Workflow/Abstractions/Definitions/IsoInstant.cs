using System.Globalization;

namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Instants of ISO 8601, strictly: <c>2026-03-17T08:00:00Z</c> or with an offset such as <c>+01:00</c>; seconds may be left out or have up to seven
/// decimals. An instant without offset is refused, because it would mean another time on every machine.
/// </summary>
public static class IsoInstant
{
    private static readonly string[] Formats = ["yyyy-MM-dd'T'HH:mm:sszzz", "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFzzz", "yyyy-MM-dd'T'HH:mmzzz"];

    /// <summary>Reads an instant.</summary>
    /// <param name="text">The instant, e.g. <c>2026-03-17T08:00:00Z</c>.</param>
    /// <param name="instant">The instant read, in UTC.</param>
    /// <param name="problem">What is wrong, with the value and the way out; null when nothing is.</param>
    /// <returns>True when there is no problem.</returns>
    public static bool TryParse(string text, out DateTimeOffset instant, out string? problem)
    {
        ArgumentNullException.ThrowIfNull(text);
        var offset = text.EndsWith('Z') ? $"{text.AsSpan(0, text.Length - 1)}+00:00" : text;
        if (offset.Length >= 6 && offset[^3] == ':' && offset[^6] is '+' or '-'
            && DateTimeOffset.TryParseExact(offset, Formats, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal, out instant))
        {
            problem = null;
            return true;
        }

        instant = default;
        problem = $"'{(text.Length > 40 ? text[..40] + "…" : text)}' is not an ISO 8601 instant with offset; write e.g. 2026-03-17T08:00:00Z.";
        return false;
    }
}
