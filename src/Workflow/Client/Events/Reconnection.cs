using Foundation;

namespace Workflow.Client.Events;

/// <summary>How long to wait before the next connection, and when to give up.</summary>
internal sealed class Reconnection(EventStreamOptions options, TimeProvider timeProvider)
{
    private readonly Backoff _backoff = new(options.FirstPause, options.LongestPause, timeProvider);
    private int _failures;

    /// <summary>Counts a failure; false when it is one too many.</summary>
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
