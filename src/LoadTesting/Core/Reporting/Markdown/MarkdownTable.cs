using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Http.Sweep;

namespace LoadTesting.Core.Reporting.Markdown;

internal static class MarkdownTable
{
    /// <summary>A title, what it comes to, and the tables.</summary>
    public static string Document(string title, IEnumerable<string> statements, IEnumerable<ComparisonTable> tables)
    {
        var text = new StringBuilder();
        text.Append($"# {SummaryMarkdown.Plain(title)}\n\n");
        foreach (var statement in statements)
        {
            text.Append($"- {SummaryMarkdown.Plain(statement)}\n");
        }

        foreach (var table in tables)
        {
            text.Append($"\n## {table.Title}\n\n");
            text.Append(table.Note is null ? "" : SummaryMarkdown.Plain(table.Note) + "\n\n");
            Append(text, table);
        }

        return text.ToString();
    }

    public static void Append(StringBuilder text, ComparisonTable table)
    {
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

/// <summary>A comparison in Markdown: for a pull request or a job summary.</summary>
public static class ComparisonMarkdown
{
    public static string Render(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        return MarkdownTable.Document(
            ComparisonWords.Title(comparison), ComparisonWords.Statements(comparison), ComparisonTables.Of(comparison));
    }
}

/// <summary>A gate's decision in Markdown, the verdict first: for a pull request or a job summary.</summary>
public static class GateMarkdown
{
    /// <param name="result">The decision.</param>
    /// <param name="report">As for <see cref="GateTables.Statements"/>.</param>
    public static string Render(GateResult result, string? report = null)
    {
        ArgumentNullException.ThrowIfNull(result);
        return MarkdownTable.Document($"Gate: {result.Verdict}", GateTables.Statements(result, report), GateTables.Of(result));
    }
}

public static class TrendMarkdown
{
    public static string Render(RunHistory history) =>
        MarkdownTable.Document(TrendWords.Title(history), TrendWords.Statements(history), TrendTables.Of(history));
}

public static class SweepMarkdown
{
    public static string Render(SweepResult result) =>
        MarkdownTable.Document(SweepTables.Title, SweepTables.Statements(result), SweepTables.Of(result));
}
