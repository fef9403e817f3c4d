using System.Diagnostics;

namespace Workflow.Client.Events;

/// <summary>Adds up the time that one thread after the other has worked. Others may read it meanwhile.</summary>
internal sealed class WorkClock
{
    private long _ticks;
    private long _since;

    /// <summary>Until now, with what goes on.</summary>
    public TimeSpan Elapsed
    {
        get
        {
            var since = Interlocked.Read(ref _since);
            return Stopwatch.GetElapsedTime(
                0, Interlocked.Read(ref _ticks) + (since > 0 ? Stopwatch.GetTimestamp() - since : 0));
        }
    }

    public void Start() => Interlocked.Exchange(ref _since, Stopwatch.GetTimestamp());

    public void Stop()
    {
        if (Interlocked.Exchange(ref _since, 0) is > 0 and var since)
        {
            Interlocked.Add(ref _ticks, Stopwatch.GetTimestamp() - since);
        }
    }
}
