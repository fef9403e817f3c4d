namespace LoadTesting.Core.Load;

/// <summary>What all scenarios of a run share: whether anything more is to start, and why not.</summary>
internal sealed class RunControl(CancellationToken cancellationToken)
{
    private string? _stopReason;

    /// <summary>Pulsed when the run is stopped; the threads that wait for their schedule wait on it.</summary>
    internal object Gate { get; } = new();

    /// <summary>Cancelled by the caller.</summary>
    internal CancellationToken CancellationToken => cancellationToken;

    internal bool IsStopped => Volatile.Read(ref _stopReason) is not null;

    /// <summary>Null while the run goes on.</summary>
    internal string? StopReason => Volatile.Read(ref _stopReason);

    /// <summary>Starts nothing more. The first reason stays.</summary>
    internal void Stop(string reason)
    {
        if (Interlocked.CompareExchange(ref _stopReason, reason, null) is null)
        {
            lock (Gate)
            {
                Monitor.PulseAll(Gate);
            }
        }
    }
}
