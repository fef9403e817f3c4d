namespace LoadTesting.Core.Load;

/// <summary>The arrivals of one simulation as offsets from its start, ascending. Absolute: a late arrival does not move the next one.</summary>
internal abstract class ArrivalSchedule
{
    /// <summary>The next arrival, in Stopwatch ticks after the start; false when there is none left.</summary>
    internal abstract bool TryNext(out long offset);

    internal static ArrivalSchedule Create(OpenSimulation simulation)
    {
        var interval = StopwatchTime.FromTimeSpan(simulation.Interval);
        var during = StopwatchTime.FromTimeSpan(simulation.During);
        return simulation switch
        {
            InjectSimulation { Pattern: ArrivalPattern.Poisson } poisson => new PoissonArrivalSchedule(poisson.Rate, interval, during, poisson.Seed),
            InjectSimulation even => new EvenArrivalSchedule(even.Rate, interval, during),
            IterationsForInjectSimulation number => new EvenArrivalSchedule(number.Rate, interval, long.MaxValue, number.Iterations),
            InjectRandomSimulation random => new RandomArrivalSchedule(new RandomRates(random.MinRate, random.MaxRate, random.Seed), interval, during),
            RampingInjectSimulation ramp => new RampingArrivalSchedule(ramp.From, new ArrivalRate(ramp.Rate, ramp.Interval), ramp.During),
            _ => throw new NotSupportedException($"There is no schedule of arrivals for {simulation.GetType().Name}."),
        };
    }
}
