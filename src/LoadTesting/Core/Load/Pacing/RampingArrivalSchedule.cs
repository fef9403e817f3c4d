using System.Numerics;

namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// A rate that changes linearly. Arrival i is due when the integral of the rate reaches i, as with an even rate. With x
/// the fraction of the time that has passed, and A and B the number of arrivals at the first and the last rate over the
/// whole time, the integral is A x + (B - A) x² / 2. It is solved for x in the form that keeps its precision when A and
/// B are close.
/// </summary>
internal sealed class RampingArrivalSchedule : ArrivalSchedule
{
    private readonly long _count;
    private readonly long _during;
    private readonly double _first;
    private readonly double _last;
    private long _next;

    internal RampingArrivalSchedule(ArrivalRate from, ArrivalRate to, TimeSpan during)
    {
        _during = StopwatchTime.FromTimeSpan(during);
        _first = from.Iterations * (during / from.Interval);
        _last = to.Iterations * (during / to.Interval);
        _count = CountOf(from, to, during);
    }

    internal override bool TryNext(out long offset)
    {
        offset = _during;
        if (_next == _count)
        {
            return false;
        }

        // Rounding must not move the last arrival beyond the end of the schedule.
        offset = Math.Min((long)(TimeShareOf(_next) * _during), _during - 1);
        _next++;
        return true;
    }

    internal override long CountLeft() => _count - _next;

    private double TimeShareOf(long arrival) => arrival == 0
        ? 0
        : 2.0 * arrival / (_first + Math.Sqrt(Math.Max(0, (_first * _first) + (2 * (_last - _first) * arrival))));

    /// <summary>
    /// The integral over the whole time, rounded up. Uses integers: a rounding error would add or lose an arrival.
    /// </summary>
    private static long CountOf(ArrivalRate from, ArrivalRate to, TimeSpan during)
    {
        var (fromInterval, toInterval) = ((BigInteger)from.Interval.Ticks, (BigInteger)to.Interval.Ticks);
        var dividend = during.Ticks * ((from.Iterations * toInterval) + (to.Iterations * fromInterval));
        var divisor = 2 * fromInterval * toInterval;
        return (long)((dividend + divisor - 1) / divisor);
    }
}
