using System.Buffers;

namespace Workflow.Abstractions;

/// <summary>
/// What every store keeps and gives back unchanged: the one rule for all that enters the engine, from outside, from a
/// definition or from an expression. What breaks it is refused before it reaches a batch, which others share.
/// </summary>
public static class StoreLimits
{
    /// <summary>Characters (UTF-16 units) of a correlation key, from 1.</summary>
    public const int MaxCorrelationKey = 512;

    /// <summary>Characters of an idempotency key, from 1.</summary>
    public const int MaxIdempotencyKey = 256;

    /// <summary>Characters of the name of a definition, step, signal, event or activity, from 1.</summary>
    public const int MaxName = 128;

    /// <summary>Characters of the name of a person or a group, from 1.</summary>
    public const int MaxAssignee = 256;

    /// <summary>Characters of the title of a definition or step, and of the names in its source, from 1.</summary>
    public const int MaxTitle = 256;

    /// <summary>Characters of the documentation of a definition or step, from 1.</summary>
    public const int MaxDocumentation = 16_384;

    /// <summary>Groups of one task.</summary>
    public const int MaxGroups = 100;

    /// <summary>Characters of an error, a reason or a detail of the history; longer ones are cut.</summary>
    public const int MaxMessage = 4_000;

    /// <summary>Levels of lists and contexts in a value (<see cref="Value.Depth"/>); JSON readers refuse 64.</summary>
    public const int MaxValueDepth = 50;

    /// <summary>
    /// The latest time at which anything can be due: the year 9000. An instant up to here plus the longest duration
    /// (100 years) is an instant in every store.
    /// </summary>
    public static readonly DateTimeOffset LatestInstant = new(9000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>What is wrong with a key or name, as the end of a sentence about it; null when nothing is.</summary>
    public static string? TextProblem(string text, int limit)
    {
        if (text.Length == 0)
        {
            return $"is empty; give 1 to {limit} characters";
        }

        if (text.Length > limit)
        {
            return $"has {text.Length} characters, begins with '{Excerpt(text, 32)}'; the limit is {limit}";
        }

        return IsText(text) ? null : "holds U+0000 or half of a surrogate pair, which no store keeps; remove it";
    }

    /// <summary>
    /// What is wrong with the time at which something is to be due, as the end of a sentence; null when nothing is.
    /// </summary>
    public static string? InstantProblem(DateTimeOffset instant) =>
        instant <= LatestInstant
            ? null
            : $"is {instant:yyyy-MM-dd'T'HH:mm:ssK}; the latest is {LatestInstant:yyyy-MM-dd'T'HH:mm:ss}Z";

    /// <summary>What is wrong with a value, as the end of a sentence about it; null when nothing is.</summary>
    /// <param name="maxSize">Characters that it may have as JSON (<see cref="Value.Weight"/>).</param>
    public static string? ValueProblem(Value value, int maxSize = int.MaxValue)
    {
        if (value.Weight > maxSize)
        {
            return $"has about {value.Weight} characters as JSON; the limit is {maxSize}";
        }

        if (value.Depth > MaxValueDepth)
        {
            return $"nests {value.Depth} levels deep; the limit is {MaxValueDepth}";
        }

        return IsWellFormed(value)
            ? null
            : "holds a string with half of a surrogate pair, which is not text; remove it";
    }

    /// <summary>
    /// Whether a store keeps it in a column of text. Within a value U+0000 is stored too: JSON writes it as an escape.
    /// </summary>
    public static bool IsText(string text) => !text.Contains('\0', StringComparison.Ordinal) && IsWellFormed(text);

    /// <summary>
    /// An error, reason or detail as it is stored: it may quote anything, so it is cut to <see cref="MaxMessage"/>, and
    /// what is not text becomes U+FFFD.
    /// </summary>
    public static string Message(string text)
    {
        var cut = Excerpt(text, MaxMessage);
        return IsText(cut) ? cut : string.Create(cut.Length, cut, static (target, source) =>
        {
            for (var i = 0; i < source.Length; i++)
            {
                target[i] = source[i] == '\0' || IsHalf(source, i) ? '\ufffd' : source[i];
            }
        });
    }

    /// <summary>
    /// The beginning of a text for a message, with an ellipsis where it goes on. No surrogate pair is cut.
    /// </summary>
    public static string Excerpt(string text, int limit) =>
        text.Length <= limit ? text : $"{text.AsSpan(0, char.IsHighSurrogate(text[limit - 1]) ? limit - 1 : limit)}…";

    private static readonly SearchValues<char> Surrogates =
        SearchValues.Create([.. Enumerable.Range('\ud800', '\udfff' - '\ud800' + 1).Select(code => (char)code)]);

    private static bool IsWellFormed(string text)
    {
        // A search for a range would box its two ends.
        var first = text.AsSpan().IndexOfAny(Surrogates);
        for (var i = first; i >= 0 && i < text.Length; i++)
        {
            if (IsHalf(text, i))
            {
                return false;
            }
        }

        return true;
    }

    private static bool IsHalf(string text, int i) => char.IsHighSurrogate(text[i])
        ? i + 1 == text.Length || !char.IsLowSurrogate(text[i + 1])
        : char.IsLowSurrogate(text[i]) && (i == 0 || !char.IsHighSurrogate(text[i - 1]));

    private static bool IsWellFormed(Value value)
    {
        switch (value.Kind)
        {
            case ValueKind.String:
                return IsWellFormed(value.AsString());
            case ValueKind.List:
                var items = value.AsList();
                for (var i = 0; i < items.Count; i++)
                {
                    if (!IsWellFormed(items[i]))
                    {
                        return false;
                    }
                }

                return true;
            case ValueKind.Context:
                foreach (var (name, member) in new ContextMembers(value.AsContext()))
                {
                    if (!IsWellFormed(name) || !IsWellFormed(member))
                    {
                        return false;
                    }
                }

                return true;
            default:
                return true;
        }
    }
}
