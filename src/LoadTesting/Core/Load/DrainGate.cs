using System.Diagnostics;

namespace LoadTesting.Core.Load;

/// <summary>Counts what is in flight and lets one thread wait until nothing is. An interlocked operation to enter and one to leave.</summary>
internal sealed class DrainGate
{
    private readonly object _gate = new();
    private int _count;
    private int _isAwaited;

    internal int Count => Volatile.Read(ref _count);

    internal void Enter() => Interlocked.Increment(ref _count);

    internal void Leave()
    {
        if (Interlocked.Decrement(ref _count) == 0 && Volatile.Read(ref _isAwaited) != 0)
        {
            lock (_gate)
            {
                Monitor.PulseAll(_gate);
            }
        }
    }

    /// <summary>True when nothing is in flight; false when <paramref name="timeout"/> has passed before that.</summary>
    internal bool WaitUntilEmpty(TimeSpan timeout)
    {
        var start = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            // A full fence: either the last one to leave sees it, or the count is seen to be zero below.
            Interlocked.Exchange(ref _isAwaited, 1);
            while (Volatile.Read(ref _count) != 0)
            {
                var remaining = timeout - Stopwatch.GetElapsedTime(start);
                if (remaining <= TimeSpan.Zero)
                {
                    break;
                }

                Monitor.Wait(_gate, TimeSpan.FromMilliseconds(Math.Ceiling(Math.Min(remaining.TotalMilliseconds, int.MaxValue - 1))));
            }

            Interlocked.Exchange(ref _isAwaited, 0);
            return Volatile.Read(ref _count) == 0;
        }
    }
}
