namespace LoadTesting.Core.Load.Engines;

/// <summary>
/// Hands out the iterations of loads with a fixed number, one load after the other: a load starts when the last
/// iteration of the load before has ended. Empty if the load ends after a time: then claims always succeed.
/// </summary>
internal sealed class OperationQuota(IReadOnlyList<long> loads)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _loadEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _load;
    private long _claimed;
    private long _ended;

    /// <summary>Completes when the last iteration has ended; never if the load ends after a time.</summary>
    internal Task Finished => _finished.Task;

    /// <summary>
    /// True if an iteration may start; false if none is left. Waits for the end of a load whose iterations have all
    /// started, or for <paramref name="stopped"/>.
    /// </summary>
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

    /// <summary>Ends a claimed iteration.</summary>
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
