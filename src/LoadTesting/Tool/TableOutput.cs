using LoadTesting.Core.Reporting.Tables;
using Spectre.Console;

namespace LoadTesting.Tool;

/// <summary>Tables on the console: ruled in a terminal, plain elsewhere.</summary>
internal static class TableOutput
{
    /// <summary>Writes tables, and below them what they say in words, since the end is what a terminal shows.</summary>
    public static void Write(ToolConsole console, IReadOnlyList<ComparisonTable> tables, IReadOnlyList<string> statements)
    {
        if (console.IsStyled)
        {
            var terminal = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Out) });
            StyledTables.Write(terminal, tables, statements);
        }
        else
        {
            console.Out.Write(PlainTables.Render(tables));
            foreach (var statement in statements)
            {
                console.Out.WriteLine(statement);
            }
        }
    }
}

/// <summary>Tables in aligned columns without colour or rules: for files, pipes and logs.</summary>
internal static class PlainTables
{
    private const string Gap = "  ";

    public static string Render(IEnumerable<ComparisonTable> tables)
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
    public static int[] Widths(ComparisonTable table) =>
        [.. table.Columns.Select((column, index) =>
            table.Rows.Where(IsAcross).Select(row => row.Cells[index].Length).Append(Heading(column).Length).Max())];

    public static string Heading(ComparisonTableColumn column) => column.Unit is null ? column.Name : $"{column.Name} {column.Unit}";

    private static bool IsAcross(ComparisonTableRow row) => row.Kind is ComparisonRowKind.Values or ComparisonRowKind.Missing;

    private static void Append(StringBuilder text, ComparisonTable table)
    {
        var widths = Widths(table);
        var indent = table.Rows.Any(row => row.Kind == ComparisonRowKind.Group) ? Gap : "";
        Line(text, indent, table.Columns, table.Columns.Select(Heading), widths);
        foreach (var row in table.Rows)
        {
            switch (row.Kind)
            {
                case ComparisonRowKind.Group:
                    text.Append(row.Cells[0]).Append('\n');
                    break;
                case ComparisonRowKind.Detail:
                    text.Append(indent).Append(Gap).Append(row.Cells[0]).Append('\n');
                    break;
                default:
                    Line(text, indent, table.Columns, row.Cells, widths);
                    break;
            }
        }
    }

    private static void Line(
        StringBuilder text, string indent, IReadOnlyList<ComparisonTableColumn> columns, IEnumerable<string> cells, int[] widths)
    {
        var aligned = cells.Select((cell, index) => columns[index].IsNumeric ? cell.PadLeft(widths[index]) : cell.PadRight(widths[index]));
        text.Append((indent + string.Join(Gap, aligned)).TrimEnd()).Append('\n');
    }
}

internal static class StyledTables
{
    private static readonly Style Quiet = new(Color.Grey);
    private static readonly Style Strong = new(decoration: Decoration.Bold);

    public static void Write(IAnsiConsole terminal, IReadOnlyList<ComparisonTable> tables, IReadOnlyList<string> statements)
    {
        foreach (var table in tables)
        {
            terminal.Write(new Rule($"[bold]{Markup.Escape(table.Title)}[/]") { Justification = Justify.Left, Style = Quiet });
            if (table.Note is not null)
            {
                terminal.Write(new Text(table.Note + "\n", Quiet));
            }

            Write(terminal, table);
            terminal.WriteLine();
        }

        foreach (var statement in statements)
        {
            terminal.Write(new Text(statement + "\n", Strong));
        }
    }

    // A terminal table has no cell that spans others: groups and details stand between pieces of one table, whose widths agree.
    private static void Write(IAnsiConsole terminal, ComparisonTable table)
    {
        var widths = PlainTables.Widths(table);
        var fits = widths.Sum() + (2 * widths.Length) <= terminal.Profile.Width;
        var piece = Piece(table, fits ? widths : null, withHeadings: true);
        foreach (var row in table.Rows)
        {
            if (row.Kind is ComparisonRowKind.Values or ComparisonRowKind.Missing)
            {
                piece.AddRow(row.Cells.Select(cell => new Text(cell, row.Kind == ComparisonRowKind.Missing ? Quiet : Style.Plain)));
                continue;
            }

            terminal.Write(piece);
            terminal.Write(new Text(row.Cells[0] + "\n", row.Kind == ComparisonRowKind.Group ? Strong : Quiet));
            piece = Piece(table, fits ? widths : null, withHeadings: false);
        }

        terminal.Write(piece);
    }

    private static Table Piece(ComparisonTable table, int[]? widths, bool withHeadings)
    {
        var piece = new Table { Border = TableBorder.None, ShowHeaders = withHeadings };
        foreach (var (column, index) in table.Columns.Select((column, index) => (column, index)))
        {
            piece.AddColumn(new TableColumn(new Text(PlainTables.Heading(column), Quiet))
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
