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
            Append(text, table);
        }

        return text.ToString();
    }

    internal static void Append(StringBuilder text, ComparisonTable table)
    {
        text.Append($"\n## {table.Title}\n\n");
        text.Append(table.Note is null ? "" : SummaryMarkdown.Plain(table.Note) + "\n\n");
        var columns = table.Columns;
        Row(text, columns.Select(column => SummaryMarkdown.Plain(column.Unit is null ? column.Name : $"{column.Name} {column.Unit}")));
        text.Append('|').AppendJoin("", columns.Select(column => column.IsNumeric ? "---:|" : "---|")).Append('\n');
        foreach (var row in table.Rows)
        {
            // Markdown has no cell that spans others.
            var cells = row.Cells.Select(SummaryMarkdown.Plain).Concat(Enumerable.Repeat("", columns.Count - row.Cells.Count)).ToArray();
            cells[0] = row.Kind switch
            {
                ComparisonRowKind.Group => $"**{cells[0]}**",
                ComparisonRowKind.Detail => $"*{cells[0]}*",
                _ => cells[0],
            };
            Row(text, cells);
        }
    }

    private static void Row(StringBuilder text, IEnumerable<string> cells) => text.Append("| ").AppendJoin(" | ", cells).Append(" |\n");
}
