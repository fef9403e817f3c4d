using System.Text.RegularExpressions;

namespace Foundation;

/// <summary>
/// Reads settings by key and collects what is wrong with them, so that all of it is reported together.
/// </summary>
/// <param name="value">The text of a key such as <c>Limits:MaxBodyBytes</c>; null where it is not set.</param>
/// <param name="children">The names of the keys under a key.</param>
public sealed partial class SettingsReader(Func<string, string?> value, Func<string, IEnumerable<string>> children)
{
    private readonly List<string> _violations = [];

    /// <summary>Adds a violation that a reader found by itself. It quotes no secret.</summary>
    public void Refuse(string violation) => _violations.Add(violation);

    /// <exception cref="InvalidSettingsException">Something is wrong; everything that is wrong is listed.</exception>
    public void ThrowIfInvalid()
    {
        if (_violations.Count > 0)
        {
            throw new InvalidSettingsException(_violations);
        }
    }

    /// <summary>
    /// Refuses keys that are not known: a misspelt one would otherwise be a setting that silently does nothing.
    /// </summary>
    /// <param name="known">The keys of each section.</param>
    public void CheckKeys(IReadOnlyDictionary<string, string[]> known)
    {
        foreach (var (section, keys) in known)
        {
            foreach (var key in children(section).Where(key => !keys.Contains(key, StringComparer.OrdinalIgnoreCase)))
            {
                Refuse($"{section}:{key} is not a setting. Known in {section}: {string.Join(", ", keys)}.");
            }
        }
    }

    /// <summary>Null where it is not set or empty.</summary>
    public string? Text(string key) => value(key) is { Length: > 0 } text ? text : null;

    /// <param name="form">What it must match.</param>
    /// <param name="advice">The form in words, for the violation: <c>Use at most 63 letters.</c></param>
    public string? Text(string key, Regex form, string advice)
    {
        var text = Text(key);
        if (text is not null && !form.IsMatch(text))
        {
            Refuse($"{key} is '{text}'. {advice}");
        }

        return text;
    }

    /// <summary>One of the known texts, whatever their case; the fallback where it is not set.</summary>
    public string Choice(string key, string fallback, params IReadOnlyList<string> known)
    {
        if (Text(key) is not { } text)
        {
            return fallback;
        }

        var match = known.FirstOrDefault(choice => choice.Equals(text, StringComparison.OrdinalIgnoreCase));
        if (match is null)
        {
            Refuse($"{key} is '{text}'. Known: {string.Join(", ", known)}.");
        }

        return match ?? fallback;
    }

    /// <summary>A whole number within limits; null where it is not set.</summary>
    public long? Number(string key, long minimum, long maximum)
    {
        if (Text(key) is not { } text)
        {
            return null;
        }

        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            && number >= minimum
            && number <= maximum)
        {
            return number;
        }

        Refuse($"{key} is '{text}'. Use a whole number from {minimum} to {maximum}.");
        return null;
    }

    /// <summary>True or false; false where it is not set.</summary>
    public bool Flag(string key)
    {
        if (Text(key) is not { } text || bool.TryParse(text, out _))
        {
            return bool.TryParse(value(key), out var flag) && flag;
        }

        Refuse($"{key} is '{text}'. Use true or false.");
        return false;
    }

    /// <summary>A whole number with a unit: 500ms, 9s, 2m; null where it is not set.</summary>
    public TimeSpan? Duration(string key)
    {
        if (Text(key) is not { } text)
        {
            return null;
        }

        if (DurationForm().Match(text) is not { Success: true } match)
        {
            Refuse($"{key} is '{text}'. Use a whole number of at most six digits and a unit, ms, s or m, e.g. 500ms, "
                + "9s.");
            return null;
        }

        var number = int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture);
        return match.Groups[2].Value switch
        {
            "ms" => TimeSpan.FromMilliseconds(number),
            "s" => TimeSpan.FromSeconds(number),
            _ => TimeSpan.FromMinutes(number),
        };
    }

    /// <summary>
    /// A list in the usual form (<c>SignalReceivers__0=a</c>), or one text with commas; without the spaces around each.
    /// </summary>
    public IReadOnlyList<string> List(string key) =>
    [
        .. children(key).Select(child => value($"{key}:{child}") ?? "")
            .Concat((value(key) ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries))
            .Select(text => text.Trim()),
    ];

    [GeneratedRegex("^([0-9]{1,6})(ms|s|m)$")]
    private static partial Regex DurationForm();
}
