namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// A table in a terminal that is written over, and what is printed above it. Safe for concurrent use.
/// </summary>
/// <param name="terminal">Takes cursor movements.</param>
/// <param name="width">Columns of the terminal now.</param>
/// <param name="isColoured">Whether to use colour; cursor movements are always sent.</param>
public sealed class ProgressTable(TextWriter terminal, Func<int> width, bool isColoured) : IProgressOutput
{
    private readonly Lock _gate = new();
    private IReadOnlyList<string> _drawn = [];

    public void Show(RunProgressSnapshot run)
    {
        lock (_gate)
        {
            // One column less: a line that fills the last one wraps in some terminals.
            var lines = run.State == RunState.Running && run.Subject is not null
                ? ProgressText.Table(run, width() - 1, isColoured) : [];
            terminal.Write(Erase() + string.Concat(lines.Select(line => line + "\n")));
            terminal.Flush();
            _drawn = lines;
        }
    }

    /// <summary>Prints above the table, which stays below.</summary>
    public void Print(string text)
    {
        lock (_gate)
        {
            terminal.Write($"{Erase()}{VisibleText.Of(text)}\n{string.Concat(_drawn.Select(line => line + "\n"))}");
            terminal.Flush();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            terminal.Write(Erase());
            terminal.Flush();
            _drawn = [];
        }
    }

    /// <summary>To the table's first line, and everything below it goes.</summary>
    private string Erase() => _drawn.Count == 0 ? "" : $"\u001b[{_drawn.Count}A\u001b[0J";
}
