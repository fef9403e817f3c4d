namespace LoadTesting.Core.Load;

/// <summary>What all scenarios of a run share: whether anything more is to start, and why not.</summary>
internal sealed class RunControl(CancellationToken cancellationToken)
{
    private readonly TaskCompletionSource<string> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _stopReason;

    /// <summary>Pulsed when the run is stopped; the threads that wait for their schedule wait on it.</summary>
    internal object Gate { get; } = new();

    /// <summary>Cancelled by the caller.</summary>
    internal CancellationToken CancellationToken => cancellationToken;

    internal bool IsStopped => Volatile.Read(ref _stopReason) is not null;

    /// <summary>Null while the run goes on.</summary>
    internal string? StopReason => Volatile.Read(ref _stopReason);

    /// <summary>Ends with the reason when the run is stopped, if ever.</summary>
    internal Task<string> Stopped => _stopped.Task;

    /// <summary>Starts nothing more. The first reason stays.</summary>
    internal void Stop(string reason)
    {
        if (Interlocked.CompareExchange(ref _stopReason, reason, null) is null)
        {
            _stopped.SetResult(reason);
            lock (Gate)
            {
                Monitor.PulseAll(Gate);
            }
        }
    }
}
