using Foundation;

namespace Workflow.Client.Events;

/// <summary>Pauses between connections, and limits the failures in a row.</summary>
internal sealed class Reconnection(EventStreamOptions options, TimeProvider timeProvider)
{
    private readonly Backoff _backoff = new(options.FirstPause, options.LongestPause, timeProvider);
    private int _failures;

    /// <summary>Counts a failure; false if there were too many in a row.</summary>
    public bool Failed()
    {
        if (++_failures == 1)
        {
            _backoff.Reset();
        }

        return _failures < options.MaxFailuresInARow;
    }

    public void Made()
    {
        _failures = 0;
        _backoff.Reset();
    }

    public Task PauseAsync(CancellationToken cancellationToken) => _backoff.PauseAsync(cancellationToken);
}
