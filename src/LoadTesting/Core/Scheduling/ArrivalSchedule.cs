using LoadTesting.Core.Measurement;
using LoadTesting.Core.Scenarios;

namespace LoadTesting.Core.Scheduling;

/// <summary>The arrivals of one simulation as offsets from its start, ascending. Absolute: a late arrival does not move the next one.</summary>
internal abstract class ArrivalSchedule
{
    /// <summary>The next arrival, in Stopwatch ticks after the start; false when there is none left.</summary>
    internal abstract bool TryNext(out long offset);

    internal static ArrivalSchedule Create(InjectSimulation simulation)
    {
        var interval = StopwatchTime.FromTimeSpan(simulation.Interval);
        var during = StopwatchTime.FromTimeSpan(simulation.During);
        return simulation.Pattern == ArrivalPattern.Poisson
            ? new PoissonArrivalSchedule(simulation.Rate, interval, during, simulation.Seed)
            : new EvenArrivalSchedule(simulation.Rate, interval, during);
    }
}
