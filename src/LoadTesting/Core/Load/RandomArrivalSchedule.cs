namespace LoadTesting.Core.Load;

/// <summary>Even arrivals at a rate that is drawn anew for each interval. The last interval is cut where the schedule ends.</summary>
internal sealed class RandomArrivalSchedule(RandomRates rates, long interval, long during) : ArrivalSchedule
{
    private EvenArrivalSchedule? _current;
    private long _intervalStart = -interval;

    internal override bool TryNext(out long offset)
    {
        while (_current is null || !_current.TryNext(out offset))
        {
            _intervalStart += interval;
            if (_intervalStart >= during)
            {
                _intervalStart -= interval;
                offset = during;
                return false;
            }

            var rate = rates.Next();
            _current = rate == 0 ? null : new EvenArrivalSchedule(rate, interval, Math.Min(interval, during - _intervalStart));
        }

        offset += _intervalStart;
        return true;
    }
}
