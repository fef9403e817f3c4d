namespace LoadTesting.Core.Load;

/// <summary>
/// Hands out the operations of loads with a known number, one load after the other: the first operation of a load starts when the last one of the load
/// before it has ended. Empty where a time ends the load: then there is always one more.
/// </summary>
internal sealed class OperationBook(IReadOnlyList<long> loads)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _loadEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _load;
    private long _claimed;
    private long _ended;

    /// <summary>Ends when the last operation has ended; never, where a time ends the load.</summary>
    internal Task Finished => _finished.Task;

    /// <summary>True where an operation may start; false where none is left. Waits for the end of a load whose operations are all under way, or for
    /// <paramref name="stopped"/>.</summary>
    internal async ValueTask<bool> ClaimAsync(Task stopped)
    {
        while (!stopped.IsCompleted)
        {
            Task ended;
            lock (_gate)
            {
                if (loads.Count == 0)
                {
                    return true;
                }

                if (_load == loads.Count)
                {
                    return false;
                }

                if (_claimed < loads[_load])
                {
                    _claimed++;
                    return true;
                }

                ended = _loadEnded.Task;
            }

            await Task.WhenAny(ended, stopped).ConfigureAwait(false);
        }

        return false;
    }

    /// <summary>A claimed operation has ended.</summary>
    internal void End()
    {
        TaskCompletionSource? ended = null;
        var isFinished = false;
        lock (_gate)
        {
            if (loads.Count > 0 && ++_ended == loads[_load])
            {
                ended = _loadEnded;
                _loadEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
                (_claimed, _ended) = (0, 0);
                isFinished = ++_load == loads.Count;
            }
        }

        ended?.SetResult();
        if (isFinished)
        {
            _finished.SetResult();
        }
    }
}
