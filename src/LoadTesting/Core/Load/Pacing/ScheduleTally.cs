namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// The account of one scenario's schedule: requested, dropped, paused. Only the scenario's own thread writes it.
/// </summary>
internal sealed class ScheduleTally(long start)
{
    /// <summary>When the load began, in Stopwatch ticks.</summary>
    internal long Start { get; } = start;

    /// <summary>The planned start of the next simulation, in Stopwatch ticks. The schedule is absolute.</summary>
    internal long NextStart { get; private set; } = start;

    /// <summary>When the last simulation with a planned duration ended; 0 if there was none.</summary>
    internal long ScheduleEnd { get; private set; }

    /// <summary>Time in pauses during which nothing was in flight, in Stopwatch ticks.</summary>
    internal long Paused { get; set; }

    /// <summary>Iterations requested so far by arrivals and by simulations with a fixed number of iterations.</summary>
    internal long Requested { get; set; }

    /// <summary>Arrivals that were not due yet when the load was stopped. Not included in the other counts.</summary>
    internal long NotDue { get; private set; }

    internal long DroppedInFlightLimit { get; private set; }
    internal long DroppedAfterStop { get; set; }

    /// <summary>Arrivals that <see cref="DropInFlightLimit"/> dropped, by the time they were due.</summary>
    internal Timeline Dropped { get; } = new() { Origin = start };

    /// <summary>The load was stopped while waiting for an arrival; later arrivals are not due.</summary>
    internal void DropAfterStop(long notDue)
    {
        NotDue += notDue;
        DroppedAfterStop++;
    }

    /// <summary>An arrival was due while too many iterations were in flight.</summary>
    internal void DropInFlightLimit(long due)
    {
        DroppedInFlightLimit++;
        Dropped.At(due).Dropped++;
    }

    /// <summary>A simulation with a planned duration has ended.</summary>
    internal void EndAt(long timestamp) => ScheduleEnd = NextStart = timestamp;

    /// <summary>A simulation without a planned duration has ended.</summary>
    internal void ContinueAt(long timestamp) => NextStart = timestamp;
}
