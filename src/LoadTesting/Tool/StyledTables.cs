using LoadTesting.Core.Reporting.Tables;
using Spectre.Console;

namespace LoadTesting.Tool;

internal static class StyledTables
{
    private static readonly Style Quiet = new(Color.Grey);
    private static readonly Style Strong = new(decoration: Decoration.Bold);

    public static void Write(IAnsiConsole terminal, IReadOnlyList<ReportTable> tables)
    {
        foreach (var table in tables)
        {
            terminal.Write(
                new Rule($"[bold]{Markup.Escape(table.Title)}[/]") { Justification = Justify.Left, Style = Quiet });
            if (table.Note is not null)
            {
                terminal.Write(new Text(table.Note + "\n", Quiet));
            }

            Write(terminal, table);
            terminal.WriteLine();
        }
    }

    public static void Write(IAnsiConsole terminal, IReadOnlyList<string> statements)
    {
        foreach (var statement in statements)
        {
            terminal.Write(new Text(statement + "\n", Strong));
        }
    }

    // A terminal table has no cell that spans others: groups and details stand between pieces of one table, whose
    // widths agree.
    private static void Write(IAnsiConsole terminal, ReportTable table)
    {
        var widths = PlainTables.Widths(table);
        var fits = widths.Sum() + (2 * widths.Length) <= terminal.Profile.Width;
        var piece = Piece(table, fits ? widths : null, withHeadings: true);
        foreach (var row in table.Rows)
        {
            if (row.Kind is ReportRowKind.Values or ReportRowKind.Missing)
            {
                piece.AddRow(
                    row.Cells.Select(cell => new Text(cell, row.Kind == ReportRowKind.Missing ? Quiet : Style.Plain)));
                continue;
            }

            terminal.Write(piece);
            terminal.Write(new Text(row.Cells[0] + "\n", row.Kind == ReportRowKind.Group ? Strong : Quiet));
            piece = Piece(table, fits ? widths : null, withHeadings: false);
        }

        terminal.Write(piece);
    }

    private static Table Piece(ReportTable table, int[]? widths, bool withHeadings)
    {
        var piece = new Table { Border = TableBorder.None, ShowHeaders = withHeadings };
        foreach (var (column, index) in table.Columns.Select((column, index) => (column, index)))
        {
            piece.AddColumn(new TableColumn(new Text(column.Heading, Quiet))
            {
                Alignment = column.IsNumeric ? Justify.Right : Justify.Left,
                Width = widths?[index],
                Padding = new Padding(0, 0, 2, 0),
                NoWrap = column.IsNumeric,
            });
        }

        return piece;
    }
}
