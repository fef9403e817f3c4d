namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// Counts the iterations in flight and lets one thread wait until there are none. Entering and leaving cost one
/// interlocked operation each.
/// </summary>
internal sealed class DrainGate
{
    private readonly object _gate = new();
    private int _count;
    private int _resting;
    private int _isAwaited;
    private long _busySince;

    internal int Count => Volatile.Read(ref _count);

    /// <summary>Iterations in flight whose copy is not resting.</summary>
    internal int Busy => Count - Volatile.Read(ref _resting);

    /// <summary>When <see cref="Busy"/> last rose from zero, in Stopwatch ticks; 0 before the first time.</summary>
    internal long BusySince => Volatile.Read(ref _busySince);

    internal void Enter() => Begin(Interlocked.Increment(ref _count) - Volatile.Read(ref _resting));

    /// <summary>One copy rests until <see cref="EndRest"/>; its missing completions are not a stall.</summary>
    internal void Rest() => Interlocked.Increment(ref _resting);

    internal void EndRest()
    {
        var resting = Interlocked.Decrement(ref _resting);
        Begin(Count - resting);
    }

    private void Begin(int busy)
    {
        if (busy == 1)
        {
            Volatile.Write(ref _busySince, Stopwatch.GetTimestamp());
        }
    }

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
            // A full fence: either the last iteration to leave sees the flag, or this thread sees a count of zero
            // below.
            Interlocked.Exchange(ref _isAwaited, 1);
            while (Volatile.Read(ref _count) != 0)
            {
                var remaining = timeout - Stopwatch.GetElapsedTime(start);
                if (remaining <= TimeSpan.Zero)
                {
                    break;
                }

                var milliseconds = Math.Ceiling(Math.Min(remaining.TotalMilliseconds, int.MaxValue - 1));
                Monitor.Wait(_gate, TimeSpan.FromMilliseconds(milliseconds));
            }

            Interlocked.Exchange(ref _isAwaited, 0);
            return Volatile.Read(ref _count) == 0;
        }
    }
}
