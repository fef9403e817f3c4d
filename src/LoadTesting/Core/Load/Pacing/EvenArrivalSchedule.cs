namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// Arrival i is due at i * interval / rate, in whole ticks; rounding errors do not accumulate.
/// </summary>
internal sealed class EvenArrivalSchedule(int rate, long interval, long during, long iterations = long.MaxValue)
    : ArrivalSchedule
{
    private long _next;

    internal override bool TryNext(out long offset)
    {
        var (intervals, rest) = Math.DivRem(_next, rate);
        offset = (intervals * interval) + (long)((Int128)rest * interval / rate);
        if (offset >= during || _next == iterations)
        {
            return false;
        }

        _next++;
        return true;
    }

    internal override long CountLeft()
    {
        // Arrival i is due before the end if i * interval is less than during * rate.
        var all = (((Int128)during * rate) + interval - 1) / interval;
        return long.CreateSaturating(Int128.Min(all, iterations)) - _next;
    }
}
