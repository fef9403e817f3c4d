namespace Workflow.Engine.Diagnostics;

/// <summary>
/// Writes an outage of the store in one line, with the store's message and without a stack trace, and repeats the same
/// line at most every ten seconds: much of the engine tries again several times a second during an outage. Passes all
/// other messages on unchanged. Thread-safe.
/// </summary>
internal sealed class OutageLogger(ILogger inner, TimeProvider time) : ILogger
{
    /// <summary>The maximum number of lines to remember. Some contain a number of commands or a pause.</summary>
    private const int MaxLines = 256;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, (long Ticks, int Left)> _lines = new(StringComparer.Ordinal);

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel) => inner.IsEnabled(logLevel);

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (exception is not (StoreUnavailableException or FlushException { Failure: FlushFailure.Unavailable }))
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
            return;
        }

        var line = $"{formatter(state, null)} {exception.Message}";
        if (ShouldWrite(line, out var left))
        {
            var meanwhile = left == 0 ? "" : $" (The same {left} times more since this line was last written.)";
            inner.Log(logLevel, eventId, state, exception: null, (_, _) => line + meanwhile);
        }
    }

    /// <param name="left">How often the line was omitted since it was last written.</param>
    private bool ShouldWrite(string line, out int left)
    {
        lock (_gate)
        {
            var known = _lines.TryGetValue(line, out var last);
            if (known && time.GetElapsedTime(last.Ticks) < Interval)
            {
                _lines[line] = last with { Left = last.Left + 1 };
                left = 0;
                return false;
            }

            if (!known && _lines.Count >= MaxLines)
            {
                _lines.Clear();
            }

            left = last.Left;
            _lines[line] = (time.GetTimestamp(), 0);
            return true;
        }
    }
}
