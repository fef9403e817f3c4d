using System.Text;
using LoadTesting.Core.Baselines;

namespace LoadTesting.Core.Reporting;

/// <summary>A comparison in Markdown: for a pull request or a job summary.</summary>
public static class ComparisonMarkdown
{
    /// <summary>The document, with a final newline.</summary>
    public static string Render(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        var text = new StringBuilder();
        text.Append($"# {SummaryMarkdown.Plain(ComparisonWords.Title(comparison))}\n\n");
        foreach (var statement in ComparisonWords.Statements(comparison))
        {
            text.Append($"- {SummaryMarkdown.Plain(statement)}\n");
        }

        foreach (var table in ComparisonTables.Of(comparison))
        {
            text.Append($"\n## {table.Title}\n\n");
            text.Append(table.Note is null ? "" : SummaryMarkdown.Plain(table.Note) + "\n\n");
            MarkdownTable.Append(text, table);
        }

        return text.ToString();
    }
}
