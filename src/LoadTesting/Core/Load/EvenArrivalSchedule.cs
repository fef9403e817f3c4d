namespace LoadTesting.Core.Load;

/// <summary>Arrival i is due at i * interval / rate, in whole ticks and without rounding errors that add up; at most so many iterations.</summary>
internal sealed class EvenArrivalSchedule(int rate, long interval, long during, long iterations = long.MaxValue) : ArrivalSchedule
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
}
