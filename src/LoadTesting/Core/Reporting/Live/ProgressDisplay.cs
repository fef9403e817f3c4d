using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// Shows a running run once a second, on a dedicated thread of below-normal priority: it takes no time from the threads
/// that schedule load or from the pool that runs iterations.
/// </summary>
public sealed class ProgressDisplay : IDisposable
{
    private readonly RunProgress _progress;
    private readonly List<IProgressOutput> _outputs;
    private readonly List<string> _failures = [];
    private readonly Lock _gate = new();
    private readonly ManualResetEventSlim _over = new();
    private readonly Thread _thread;

    /// <param name="progress">The progress to show.</param>
    /// <param name="outputs">The outputs; they are disposed with the display.</param>
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

    /// <summary>Outputs that failed, a sentence each.</summary>
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

    /// <summary>Adds an output.</summary>
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
                // A closed pipe or a full disk must not end a run; it is reported at the end.
                _failures.Add($"progress is no longer shown: {UserMessage.Of(exception)}");
                _outputs.Remove(output);
            }
        }
    }
}
