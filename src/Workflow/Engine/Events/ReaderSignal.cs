namespace Workflow.Engine.Events;

/// <summary>
/// Wakes all waiting readers when any log grows. Each reader reuses its own <see cref="ReaderWait"/>: objects allocated
/// by thousands of readers for every event would live until the next event, and the garbage collector would move them
/// before they die.
/// </summary>
internal sealed class ReaderSignal
{
    private readonly Lock _gate = new();
    private ReaderWait? _first;
    private ReaderWait? _last;
    private long _version;

    /// <summary>
    /// The number of changes so far. Read it before reading events, so that no change in between is missed.
    /// </summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>Takes the same time for thousands of readers as for one: each woken reader wakes the next.</summary>
    public void Set()
    {
        ReaderWait? first;
        lock (_gate)
        {
            Volatile.Write(ref _version, _version + 1);
            first = _first;
            _first = _last = null;
        }

        first?.Wake();
    }

    /// <summary>Adds a waiting reader, unless there was a change since the version.</summary>
    internal bool TryAdd(ReaderWait wait, long version, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_version != version || cancellationToken.IsCancellationRequested)
            {
                return false;
            }

            (wait.WaitsAt, wait.Previous, wait.Next) = (version, _last, null);
            _ = _last is null ? _first = wait : _last.Next = wait;
            _last = wait;
            return true;
        }
    }

    /// <returns>False if the reader does not wait or is being woken.</returns>
    internal bool TryRemove(ReaderWait wait)
    {
        lock (_gate)
        {
            if (wait.WaitsAt != _version)
            {
                return false;
            }

            wait.WaitsAt = ReaderWait.Nowhere;
            _ = wait.Previous is null ? _first = wait.Next : wait.Previous.Next = wait.Next;
            _ = wait.Next is null ? _last = wait.Previous : wait.Next.Previous = wait.Previous;
            return true;
        }
    }
}
