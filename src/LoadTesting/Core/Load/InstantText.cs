namespace LoadTesting.Core.Load;

/// <summary>Reads instants in the format of RFC 3339.</summary>
public static partial class InstantText
{
    /// <summary>The accepted formats, for messages: <c>It is ...</c></summary>
    public const string Forms =
        "an instant with its offset from UTC, such as 2026-11-28T21:30:00Z or 2026-11-28T22:30:00.5+01:00";

    /// <summary>Reads an instant, with seven digits of its fraction of a second. False for anything else.</summary>
    public static bool TryRead(string? text, out DateTimeOffset instant)
    {
        instant = default;
        return Rfc3339().Match(text?.Trim() ?? "") is { Success: true } match && DateTimeOffset.TryParseExact(
            $"{match.Groups[1].Value}T{match.Groups[2].Value}{match.Groups[3].Value}{match.Groups[4].Value.ToUpperInvariant()}",
            "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK", CultureInfo.InvariantCulture, DateTimeStyles.None, out instant);
    }

    /// <summary>Reads an instant.</summary>
    /// <param name="text">The text.</param>
    /// <param name="name">Name of the setting, for the message.</param>
    /// <exception cref="FormatException">The text is not an instant; the message gives the accepted
    /// formats.</exception>
    public static DateTimeOffset Read(string? text, string name) => TryRead(text, out var instant)
        ? instant
        : throw new FormatException($"{name} is '{text}'. It is {Forms}.");

    [GeneratedRegex(
        "^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt "
            + "]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:(\\.[0-9]{1,7})[0-9]*)?([Zz]|[+-][0-9]{2}:[0-9]{2})$")]
    private static partial Regex Rfc3339();
}
