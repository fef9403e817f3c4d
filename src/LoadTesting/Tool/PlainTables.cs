using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Tool;

/// <summary>Tables in aligned columns without colour or rules: for files, pipes and logs.</summary>
internal static class PlainTables
{
    private const string Gap = "  ";

    public static string Render(IEnumerable<ReportTable> tables)
    {
        var text = new StringBuilder();
        foreach (var table in tables)
        {
            text.Append($"{table.Title}\n{new string('=', table.Title.Length)}\n{(table.Note is null ? "" : table.Note + "\n\n")}");
            Append(text, table);
            text.Append('\n');
        }

        return text.ToString();
    }

    /// <summary>Characters that each column needs for its heading and all of its figures.</summary>
    public static int[] Widths(ReportTable table) =>
        [.. table.Columns.Select((column, index) =>
            table.Rows.Where(IsAcross).Select(row => row.Cells[index].Length).Append(column.Heading.Length).Max())];

    private static bool IsAcross(ReportRow row) => row.Kind is ReportRowKind.Values or ReportRowKind.Missing;

    private static void Append(StringBuilder text, ReportTable table)
    {
        var widths = Widths(table);
        var indent = table.Rows.Any(row => row.Kind == ReportRowKind.Group) ? Gap : "";
        Line(text, indent, table.Columns, table.Columns.Select(column => column.Heading), widths);
        foreach (var row in table.Rows)
        {
            switch (row.Kind)
            {
                case ReportRowKind.Group:
                    text.Append(row.Cells[0]).Append('\n');
                    break;
                case ReportRowKind.Detail:
                    text.Append(indent).Append(Gap).Append(row.Cells[0]).Append('\n');
                    break;
                default:
                    Line(text, indent, table.Columns, row.Cells, widths);
                    break;
            }
        }
    }

    private static void Line(
        StringBuilder text, string indent, IReadOnlyList<ReportColumn> columns, IEnumerable<string> cells, int[] widths)
    {
        var aligned = cells.Select(
            (cell, index) => columns[index].IsNumeric ? cell.PadLeft(widths[index]) : cell.PadRight(widths[index]));
        text.Append((indent + string.Join(Gap, aligned)).TrimEnd()).Append('\n');
    }
}
