using System.Text;
using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A gate's decision in Markdown, the verdict first: for a pull request or a job summary.</summary>
public static class GateMarkdown
{
    /// <summary>The document, with a final newline.</summary>
    /// <param name="result">The decision.</param>
    /// <param name="report">As for <see cref="GateTables.Statements"/>.</param>
    public static string Render(GateResult result, string? report = null)
    {
        ArgumentNullException.ThrowIfNull(result);
        return Render($"Gate: {result.Verdict}", GateTables.Statements(result, report), GateTables.Of(result));
    }

    /// <summary>The document on the gate's own test, with a final newline.</summary>
    public static string Render(IReadOnlyList<SimulatedRate> rates) => Render("Test of the gate", [], GateTables.Of(rates));

    private static string Render(string title, IEnumerable<string> statements, IEnumerable<ComparisonTable> tables)
    {
        var text = new StringBuilder($"# {title}\n\n");
        foreach (var statement in statements)
        {
            text.Append($"- {SummaryMarkdown.Plain(statement)}\n");
        }

        foreach (var table in tables)
        {
            text.Append($"\n## {table.Title}\n\n{(table.Note is null ? "" : SummaryMarkdown.Plain(table.Note) + "\n\n")}");
            MarkdownTable.Append(text, table);
        }

        return text.ToString();
    }
}
