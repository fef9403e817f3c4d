namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// The arrivals of one simulation as ascending offsets from its start. The schedule is absolute: a late arrival does
/// not move the next one.
/// </summary>
internal abstract class ArrivalSchedule
{
    /// <summary>The next arrival, in Stopwatch ticks after the start; false when there is none left.</summary>
    internal abstract bool TryNext(out long offset);

    /// <summary>
    /// The number of arrivals left, in constant time. Random arrivals are not drawn for this: the result is their
    /// expected number.
    /// </summary>
    internal abstract long CountLeft();

    internal static ArrivalSchedule Create(OpenSimulation simulation) =>
        simulation.Share.Of == 1 ? Whole(simulation) : new SharedArrivalSchedule(Whole(simulation), simulation.Share);

    private static ArrivalSchedule Whole(OpenSimulation simulation)
    {
        var interval = StopwatchTime.FromTimeSpan(simulation.Interval);
        var during = StopwatchTime.FromTimeSpan(simulation.During);
        return simulation switch
        {
            InjectSimulation { Pattern: ArrivalPattern.Poisson } poisson =>
                new PoissonArrivalSchedule(poisson.Rate, interval, during, poisson.Seed),
            InjectSimulation even => new EvenArrivalSchedule(even.Rate, interval, during),
            IterationsForInjectSimulation number =>
                new EvenArrivalSchedule(number.Rate, interval, long.MaxValue, number.Iterations),
            InjectRandomSimulation random =>
                new RandomArrivalSchedule(
                    new RandomRates(random.MinRate, random.MaxRate, random.Seed), interval, during),
            RampingInjectSimulation ramp =>
                new RampingArrivalSchedule(ramp.From, new ArrivalRate(ramp.Rate, ramp.Interval), ramp.During),
            _ => throw new NotSupportedException($"There is no schedule of arrivals for {simulation.GetType().Name}."),
        };
    }
}

/// <summary>Every n-th arrival of a schedule, for one of the n processes that share its load.</summary>
internal sealed class SharedArrivalSchedule(ArrivalSchedule whole, (int Index, int Of) share) : ArrivalSchedule
{
    private int _skip = share.Index;

    internal override bool TryNext(out long offset)
    {
        for (; _skip > 0; _skip--)
        {
            if (!whole.TryNext(out offset))
            {
                return false;
            }
        }

        _skip = share.Of - 1;
        return whole.TryNext(out offset);
    }

    internal override long CountLeft() => Math.Max(0, whole.CountLeft() - _skip + share.Of - 1) / share.Of;
}

/// <summary>
/// Exponentially distributed gaps by inversion, -ln(1-u) times the mean; the same seed gives the same arrivals.
/// </summary>
internal sealed class PoissonArrivalSchedule(int rate, long interval, long during, int seed) : ArrivalSchedule
{
    private readonly Random _random = new(seed);
    private readonly double _meanGap = (double)interval / rate;
    private double _last;

    internal override bool TryNext(out long offset)
    {
        _last += -Math.Log(1 - _random.NextDouble()) * _meanGap;
        offset = _last < during ? (long)_last : during;
        return offset < during;
    }

    internal override long CountLeft() => (long)Math.Max(0, (during - _last) / _meanGap);
}

/// <summary>
/// Even arrivals at a rate that is drawn for each interval. The last interval ends with the schedule.
/// </summary>
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
            _current = rate == 0
                ? null
                : new EvenArrivalSchedule(rate, interval, Math.Min(interval, during - _intervalStart));
        }

        offset += _intervalStart;
        return true;
    }

    internal override long CountLeft() =>
        (_current?.CountLeft() ?? 0)
        + (long)(Math.Max(0, during - _intervalStart - interval) * (rates.Mean / interval));
}
