namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A report in Markdown: for a pull request or a job summary.</summary>
public static class MarkdownDocument
{
    /// <summary>The one cell with markup.</summary>
    internal const string No = "**no**";

    public static string Render(ReportDocument document)
    {
        var text = new StringBuilder();
        text.Append($"# {MarkdownText.Plain(document.Title)}\n\n");
        foreach (var statement in document.Statements)
        {
            text.Append($"- {MarkdownText.Plain(statement)}\n");
        }

        foreach (var table in document.Tables)
        {
            text.Append($"\n## {MarkdownText.Plain(table.Title)}\n\n");
            text.Append(table.Note is null ? "" : MarkdownText.Plain(table.Note) + "\n\n");
            Append(text, table);
        }

        return text.ToString();
    }

    internal static void Append(StringBuilder text, ReportTable table)
    {
        var columns = table.Columns;
        Row(text, columns.Select(column => MarkdownText.Plain(column.Heading)));
        text.Append('|').AppendJoin("", columns.Select(column => column.IsNumeric ? "---:|" : "---|")).Append('\n');
        foreach (var row in table.Rows)
        {
            // Markdown has no cell that spans others.
            var cells =
                row.Cells.Select(Plain).Concat(Enumerable.Repeat("", columns.Count - row.Cells.Count)).ToArray();
            cells[0] = row.Kind switch
            {
                ReportRowKind.Group => $"**{cells[0]}**",
                ReportRowKind.Detail => $"*{cells[0]}*",
                _ => cells[0],
            };
            Row(text, cells);
        }
    }

    private static string Plain(string cell) => cell == No ? cell : MarkdownText.Plain(cell);

    private static void Row(StringBuilder text, IEnumerable<string> cells) =>
        text.Append("| ").AppendJoin(" | ", cells).Append(" |\n");
}
