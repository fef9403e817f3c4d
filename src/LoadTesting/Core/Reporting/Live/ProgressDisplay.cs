namespace LoadTesting.Core.Reporting.Live;

/// <summary>Somewhere that shows or keeps what a run is doing. Called by one thread at a time, once a second at most.</summary>
public interface IProgressOutput : IDisposable
{
    /// <summary>Shows the run as it is now.</summary>
    /// <exception cref="IOException">Nobody can be shown anything any more; it is not called again.</exception>
    void Show(RunProgressSnapshot run);
}

/// <summary>
/// Shows a run while it goes on, once a second, on a thread of its own with less than normal priority: neither the threads that schedule
/// load nor the pool that runs iterations have anything to do with it.
/// </summary>
public sealed class ProgressDisplay : IDisposable
{
    private readonly RunProgress _progress;
    private readonly List<IProgressOutput> _outputs;
    private readonly List<string> _failures = [];
    private readonly Lock _gate = new();
    private readonly ManualResetEventSlim _over = new();
    private readonly Thread _thread;

    /// <param name="progress">What is shown.</param>
    /// <param name="outputs">Where; they are disposed with the display.</param>
    /// <param name="interval">Default 1 s.</param>
    public ProgressDisplay(RunProgress progress, IEnumerable<IProgressOutput> outputs, TimeSpan? interval = null)
    {
        (_progress, _outputs) = (progress, [.. outputs]);
        _thread = new Thread(() => Run(interval ?? TimeSpan.FromSeconds(1)))
        {
            IsBackground = true, Name = "progress", Priority = ThreadPriority.BelowNormal,
        };
        _thread.Start();
    }

    /// <summary>Outputs that ended, a sentence each.</summary>
    public IReadOnlyList<string> Failures
    {
        get
        {
            lock (_gate)
            {
                return [.. _failures];
            }
        }
    }

    /// <summary>Shows in one more place from now on.</summary>
    public void Add(IProgressOutput output)
    {
        lock (_gate)
        {
            _outputs.Add(output);
        }
    }

    /// <summary>Shows the run a last time.</summary>
    public void Dispose()
    {
        _over.Set();
        _thread.Join();
        lock (_gate)
        {
            Show();
            _outputs.ForEach(output => output.Dispose());
            _outputs.Clear();
        }

        _over.Dispose();
    }

    private void Run(TimeSpan interval)
    {
        while (!_over.Wait(interval))
        {
            lock (_gate)
            {
                Show();
            }
        }
    }

    private void Show()
    {
        var run = _progress.Read();
        foreach (var output in _outputs.ToArray())
        {
            try
            {
                output.Show(run);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // A closed pipe or a full disk must not end a run; it is said at its end.
                _failures.Add($"progress is no longer shown: {exception.Message}");
                _outputs.Remove(output);
            }
        }
    }
}

/// <summary>A table in a terminal that is written over, and what is printed above it. Safe for concurrent use.</summary>
/// <param name="terminal">Takes cursor movements.</param>
/// <param name="width">Columns of the terminal now.</param>
/// <param name="isColoured">Whether there is colour; movements are sent all the same.</param>
public sealed class ProgressTable(TextWriter terminal, Func<int> width, bool isColoured) : IProgressOutput
{
    private readonly Lock _gate = new();
    private IReadOnlyList<string> _drawn = [];

    public void Show(RunProgressSnapshot run)
    {
        ArgumentNullException.ThrowIfNull(run);
        lock (_gate)
        {
            // One column less: a line that fills the last one wraps in some terminals.
            var lines = run.State == RunState.Running && run.Subject is not null ? ProgressText.Table(run, width() - 1, isColoured) : [];
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
            terminal.Write($"{Erase()}{text}\n{string.Concat(_drawn.Select(line => line + "\n"))}");
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

/// <summary>A plain line every few seconds, for pipes and logs. What is over sooner is not mentioned.</summary>
/// <param name="write">Takes a line.</param>
/// <param name="every">Default 5 s.</param>
public sealed class ProgressLines(Action<string> write, TimeSpan? every = null) : IProgressOutput
{
    private readonly double _every = (every ?? TimeSpan.FromSeconds(5)).TotalSeconds;
    private string? _subject;
    private DateTimeOffset _last = DateTimeOffset.MinValue;

    public void Show(RunProgressSnapshot run)
    {
        ArgumentNullException.ThrowIfNull(run);
        if (run.Subject != _subject || run.State != RunState.Running)
        {
            (_subject, _last) = (run.Subject, run.UpdatedUtc);
        }
        else if ((run.UpdatedUtc - _last).TotalSeconds >= _every - 0.5)
        {
            _last = run.UpdatedUtc;
            foreach (var line in ProgressText.Lines(run))
            {
                write(line);
            }
        }
    }

    public void Dispose()
    {
        // The writer is the caller's.
    }
}
