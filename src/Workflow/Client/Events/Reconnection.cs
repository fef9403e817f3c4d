namespace Workflow.Client.Events;

/// <summary>How long to wait before the next connection, and when to give up.</summary>
internal sealed class Reconnection(EventStreamOptions options, TimeProvider timeProvider)
{
    private int _failures;

    /// <summary>Counts a failure; false when it is one too many.</summary>
    public bool Failed() => ++_failures < options.MaxFailuresInARow;

    public void Made() => _failures = 0;

    public Task PauseAsync(CancellationToken cancellationToken)
    {
        var doublings = Math.Clamp(_failures - 1, 0, 30);
        var pause = Math.Min(options.FirstPause.TotalMilliseconds * (1L << doublings), options.LongestPause.TotalMilliseconds);
        return Task.Delay(TimeSpan.FromMilliseconds(pause), timeProvider, cancellationToken);
    }
}
