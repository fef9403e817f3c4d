using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Tables;
using Spectre.Console;

namespace LoadTesting.Tool;

/// <summary>Tables on the console: ruled in a terminal, plain elsewhere.</summary>
internal static class TableOutput
{
    /// <summary>Writes the tables, then the statements, since the end is what a terminal shows.</summary>
    public static void Write(ToolConsole console, ReportDocument document)
    {
        Write(console, document.Tables);
        Write(console, document.Statements);
    }

    public static void Write(ToolConsole console, IReadOnlyList<ReportTable> tables)
    {
        tables = [.. tables.Select(Visible)];
        if (console.IsStyled)
        {
            StyledTables.Write(Terminal(console), tables);
        }
        else
        {
            console.Out.Write(PlainTables.Render(tables));
        }
    }

    public static void Write(ToolConsole console, IReadOnlyList<string> statements)
    {
        statements = [.. statements.Select(VisibleText.Line)];
        if (console.IsStyled)
        {
            StyledTables.Write(Terminal(console), statements);
        }
        else
        {
            foreach (var statement in statements)
            {
                console.Out.WriteLine(statement);
            }
        }
    }

    private static ReportTable Visible(ReportTable table) => new(
        VisibleText.Line(table.Title), table.Note is null ? null : VisibleText.Line(table.Note),
        [.. table.Columns.Select(column => column with { Name = VisibleText.Line(column.Name) })],
        [.. table.Rows.Select(row => row with { Cells = [.. row.Cells.Select(VisibleText.Line)] })]);

    private static IAnsiConsole Terminal(ToolConsole console) =>
        AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Terminal) });
}
