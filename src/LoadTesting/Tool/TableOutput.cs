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
