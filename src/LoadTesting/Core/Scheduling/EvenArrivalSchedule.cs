namespace LoadTesting.Core.Scheduling;

/// <summary>Arrival i is due at i * interval / rate, in whole ticks and without rounding errors that add up.</summary>
internal sealed class EvenArrivalSchedule(int rate, long interval, long during) : ArrivalSchedule
{
    private long _next;

    internal override bool TryNext(out long offset)
    {
        var (intervals, rest) = Math.DivRem(_next, rate);
        offset = (intervals * interval) + (long)((Int128)rest * interval / rate);
        if (offset >= during)
        {
            return false;
        }

        _next++;
        return true;
    }
}
