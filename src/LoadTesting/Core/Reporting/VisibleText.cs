namespace LoadTesting.Core.Reporting;

/// <summary>
/// Escapes foreign text, such as names and messages, for terminals and pages: control characters and characters that
/// change the writing direction become escapes such as <c>\u001B</c>.
/// </summary>
public static partial class VisibleText
{
    /// <summary>Line breaks and tabs stay.</summary>
    public static string Of(string text) =>
        Hidden().Replace(text, match => match.Value is "\r\n" ? "\n" : $"\\u{(int)match.Value[0]:X4}");

    /// <summary>In one line: a line break or a tab becomes a space.</summary>
    public static string Line(string text) => Of(Breaks().Replace(text, " "));

    // Controls but for tab and line feed, the separators of lines and paragraphs, marks, embeddings and isolates of
    // direction, the mark of byte order, and halves of a pair.
    [GeneratedRegex(
        @"\r\n|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]"
        + @"|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]")]
    private static partial Regex Hidden();

    [GeneratedRegex("\r\n|[\r\n\t\u0085\u2028\u2029]")]
    private static partial Regex Breaks();
}
