namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A run as a document that people keep: the prose is a template's, every figure is a result's.</summary>
public static class BaselineDocument
{
    private static readonly Dictionary<string, Func<DocumentFigures, IReadOnlyList<string>, IEnumerable<ReportTable>>> Known =
        new(StringComparer.Ordinal)
        {
            ["metadata"] = static (figures, _) => figures.Metadata(),
            ["ceilings"] = static (figures, _) => figures.Ceilings(),
            ["shares"] = static (figures, patterns) => [figures.Shares(patterns)],
            ["summary"] = static (figures, patterns) => [figures.Summary(patterns)],
            ["phases"] = static (figures, patterns) => [figures.Phases(patterns)],
            ["split"] = static (figures, patterns) => [figures.Split(patterns)],
            ["counters"] = static (figures, patterns) => [figures.Counters(patterns)],
            ["waits"] = static (figures, patterns) => [figures.Waits(patterns)],
            ["findings"] = static (figures, patterns) => [figures.Findings(patterns)],
            ["ladders"] = static (figures, _) => [figures.Ladders()],
            ["sizing"] = static (figures, _) => [figures.Sizing()],
            ["ledger"] = static (figures, patterns) => [figures.Ledger(patterns)],
            ["remarks"] = static (figures, _) => [figures.Remarks()],
        };

    /// <summary>What a template may ask for.</summary>
    public static IReadOnlyList<string> Directives { get; } = [.. Known.Keys.Order(StringComparer.Ordinal)];

    /// <param name="template">
    /// Markdown in which a line such as <c>{{summary name-* !*-http}}</c> stands for a table of the scenarios of these
    /// names.
    /// </param>
    /// <param name="runs">
    /// The runs whose profiles stand side by side, in this order. Of a scenario that several hold, the last one's
    /// result stands.
    /// </param>
    /// <exception cref="FormatException">
    /// A directive is unknown, or asks for scenarios that no run holds; the message names the line and what there is.
    /// </exception>
    public static string Render(string template, IReadOnlyList<RunResult> runs)
    {
        var figures = new DocumentFigures(runs);
        var text = new StringBuilder();
        foreach (var line in DocumentTemplate.Parse(template))
        {
            if (line.Directive is null)
            {
                text.Append(line.Text).Append('\n');
                continue;
            }

            if (!Known.TryGetValue(line.Directive, out var make))
            {
                throw new FormatException(
                    $"line {line.Number}: there is no directive '{line.Directive}'. Known: "
                        + $"{string.Join(", ", Directives)}.");
            }

            Append(text, line, ReportTable.Filled(make(figures, line.Patterns)));
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, DocumentLine line, IReadOnlyList<ReportTable> tables)
    {
        if (tables.Count == 0)
        {
            throw new FormatException(
                $"line {line.Number}: no run holds anything for '{line.Text.Trim()}'. Add the run that does, or take "
                    + "the line out of the template.");
        }

        for (var index = 0; index < tables.Count; index++)
        {
            text.Append(index > 0 ? "\n" : "");
            MarkdownDocument.Append(text, tables[index]);
        }
    }
}

/// <summary>
/// Markdown with directives, each alone on its line: <c>{{summary}}</c>, or with the scenarios it is of: <c>{{phases
/// echo-* !*-http}}</c>. A pattern is a scenario's name without its profile, <c>*</c> and <c>?</c> stand for
/// characters, and <c>!</c> takes away.
/// </summary>
internal static class DocumentTemplate
{
    private const string Open = "{{";
    private const string Close = "}}";

    /// <exception cref="FormatException">
    /// A directive that is not closed, or not alone on its line; the message names the line.
    /// </exception>
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
            throw new FormatException($"line {number}: '{trimmed}' is neither text nor a directive. A directive stands "
                + "alone on its line: {{name patterns}}.");
        }

        var words = trimmed[Open.Length..^Close.Length].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words.Length == 0
            ? throw new FormatException(
                $"line {number}: the directive is empty. Name one of {string.Join(", ", BaselineDocument.Directives)}.")
            : new(number, text, words[0], words[1..]);
    }
}

/// <param name="Number">Its number, from 1.</param>
/// <param name="Text">The line as it stands.</param>
/// <param name="Directive">What it asks for, e.g. <c>summary</c>; null when it is text.</param>
/// <param name="Patterns">The scenarios it asks for; every one when empty.</param>
internal sealed record DocumentLine(int Number, string Text, string? Directive, IReadOnlyList<string> Patterns);
