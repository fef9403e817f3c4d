namespace Workflow.Abstractions.Building;

internal static class CodeLiteral
{
    /// <summary>
    /// A text as a literal of C#: raw where quotes would need escapes; whatever does not print is an escape.
    /// </summary>
    public static string Of(string text)
    {
        if (IsRaw(text))
        {
            return $"\"\"\"{text}\"\"\"";
        }

        var literal = new StringBuilder(text.Length + 2).Append('"');
        for (var i = 0; i < text.Length; i++)
        {
            if (Rune.TryGetRuneAt(text, i, out var rune) && Prints(rune))
            {
                _ = rune.Value is '"' or '\\'
                    ? literal.Append('\\').Append(text[i])
                    : literal.Append(text, i, rune.Utf16SequenceLength);
                i += rune.Utf16SequenceLength - 1;
                continue;
            }

            _ = text[i] switch
            {
                '\n' => literal.Append("\\n"),
                '\r' => literal.Append("\\r"),
                '\t' => literal.Append("\\t"),
                _ => literal.Append(CultureInfo.InvariantCulture, $"\\u{(int)text[i]:x4}"),
            };
        }

        return literal.Append('"').ToString();
    }

    /// <summary>
    /// The lines of a text, at least one, those that are too long cut after a blank; no surrogate pair is cut.
    /// </summary>
    public static IEnumerable<string> Pieces(string text, int longest)
    {
        var start = 0;
        do
        {
            var end = Math.Min(start + longest, text.Length);
            var line = text.IndexOf('\n', start, end - start);
            if (line >= 0)
            {
                end = line + 1;
            }
            else if (end < text.Length)
            {
                var blank = text.LastIndexOf(' ', end - 1, end - start);
                if (blank >= 0)
                {
                    end = blank + 1;
                }
                else if (char.IsLowSurrogate(text[end]))
                {
                    end--;
                }
            }

            yield return text[start..end];
            start = end;
        }
        while (start < text.Length);
    }

    private static bool IsRaw(string text)
    {
        if (!text.AsSpan().ContainsAny('"', '\\') || text[0] == '"' || text[^1] == '"'
            || text.Contains("\"\"\"", StringComparison.Ordinal))
        {
            return false;
        }

        for (var i = 0; i < text.Length; i++)
        {
            if (!Rune.TryGetRuneAt(text, i, out var rune) || !Prints(rune))
            {
                return false;
            }

            i += rune.Utf16SequenceLength - 1;
        }

        return true;
    }

    private static bool Prints(Rune rune) =>
        rune.Value == ' ' || Rune.GetUnicodeCategory(rune) is UnicodeCategory.UppercaseLetter
        or UnicodeCategory.LowercaseLetter or UnicodeCategory.TitlecaseLetter or UnicodeCategory.ModifierLetter
        or UnicodeCategory.OtherLetter or UnicodeCategory.DecimalDigitNumber or UnicodeCategory.LetterNumber
        or UnicodeCategory.OtherNumber
        or UnicodeCategory.ConnectorPunctuation or UnicodeCategory.DashPunctuation or UnicodeCategory.OpenPunctuation
        or UnicodeCategory.ClosePunctuation or UnicodeCategory.InitialQuotePunctuation
        or UnicodeCategory.FinalQuotePunctuation
        or UnicodeCategory.OtherPunctuation or UnicodeCategory.MathSymbol or UnicodeCategory.CurrencySymbol
        or UnicodeCategory.ModifierSymbol or UnicodeCategory.OtherSymbol;
}
