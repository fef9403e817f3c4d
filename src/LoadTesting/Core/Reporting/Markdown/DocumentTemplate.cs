namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>
/// Markdown with directives, each alone on its line: <c>{{summary}}</c>, or with the scenarios it is of: <c>{{phases echo-* !*-http}}</c>.
/// A pattern is a scenario's name without its profile, <c>*</c> and <c>?</c> stand for characters, and <c>!</c> takes away.
/// </summary>
internal static class DocumentTemplate
{
    private const string Open = "{{";
    private const string Close = "}}";

    /// <summary>The lines of a template.</summary>
    /// <exception cref="FormatException">A directive that is not closed, or not alone on its line; the message names the line.</exception>
    public static IReadOnlyList<DocumentLine> Parse(string template) =>
        [.. template.ReplaceLineEndings("\n").TrimEnd('\n').Split('\n').Select((text, index) => Line(index + 1, text))];

    private static DocumentLine Line(int number, string text)
    {
        var trimmed = text.Trim();
        if (!trimmed.Contains(Open, StringComparison.Ordinal))
        {
            return new(number, text, null, []);
        }

        if (!trimmed.StartsWith(Open, StringComparison.Ordinal) || !trimmed.EndsWith(Close, StringComparison.Ordinal))
        {
            throw new FormatException($"line {number}: '{trimmed}' is neither text nor a directive. A directive stands alone on its line: {{{{name patterns}}}}.");
        }

        var words = trimmed[Open.Length..^Close.Length].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words.Length == 0
            ? throw new FormatException($"line {number}: the directive is empty. Name one of {string.Join(", ", BaselineDocument.Directives)}.")
            : new(number, text, words[0], words[1..]);
    }
}
