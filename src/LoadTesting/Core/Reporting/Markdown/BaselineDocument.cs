using System.Text;
using LoadTesting.Core.Reporting.Tables;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A run as a document that people keep: the prose is a template's, every figure is a result's.</summary>
public static class BaselineDocument
{
    private static readonly Dictionary<string, Func<DocumentFigures, IReadOnlyList<string>, IEnumerable<ComparisonTable>>> Known = new(StringComparer.Ordinal)
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

    /// <summary>The document, with a final newline.</summary>
    /// <param name="template">Markdown in which a line such as <c>{{summary name-* !*-http}}</c> stands for a table of the scenarios of these names.</param>
    /// <param name="runs">The runs whose profiles stand side by side, in this order. Of a scenario that several hold, the last one's result stands.</param>
    /// <exception cref="FormatException">
    /// A directive is unknown, or asks for scenarios that no run holds; the message names the line and what there is.
    /// </exception>
    public static string Render(string template, IReadOnlyList<RunResult> runs)
    {
        ArgumentNullException.ThrowIfNull(template);
        ArgumentNullException.ThrowIfNull(runs);
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
                throw new FormatException($"line {line.Number}: there is no directive '{line.Directive}'. Known: {string.Join(", ", Directives)}.");
            }

            Append(text, line, make(figures, line.Patterns).Where(table => table.Rows.Count > 0).ToList());
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, DocumentLine line, List<ComparisonTable> tables)
    {
        if (tables.Count == 0)
        {
            throw new FormatException(
                $"line {line.Number}: no run holds anything for '{line.Text.Trim()}'. Add the run that does, or take the line out of the template.");
        }

        for (var index = 0; index < tables.Count; index++)
        {
            text.Append(index > 0 ? "\n" : "");
            MarkdownTable.Append(text, tables[index]);
        }
    }
}
