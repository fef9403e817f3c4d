namespace LoadTesting.Core.Load;

/// <summary>What the schedule of one scenario has asked for. Written by its thread alone.</summary>
internal sealed class ScheduleTally(long start)
{
    /// <summary>When the load began, in Stopwatch ticks.</summary>
    internal long Start { get; } = start;

    /// <summary>When the next simulation is to begin, whatever the time is now: the schedule is absolute.</summary>
    internal long NextStart { get; private set; } = start;

    /// <summary>When the part of the schedule that is bound to time ended; 0 where none was.</summary>
    internal long ScheduleEnd { get; private set; }

    /// <summary>How long, in Stopwatch ticks, a pause let nothing start while nothing was in flight.</summary>
    internal long Paused { get; set; }

    /// <summary>Iterations that simulations with a known number asked for.</summary>
    internal long Asked { get; set; }

    internal long DroppedInFlightLimit { get; set; }

    internal long DroppedAfterStop { get; set; }

    /// <summary>Simulations bound to a deadline: they ask for what they claim.</summary>
    internal List<ClosedWork> UntilDeadline { get; } = [];

    internal long Requested => Asked + UntilDeadline.Sum(work => work.Claimed);

    /// <summary>A simulation that was bound to time has ended.</summary>
    internal void EndAt(long timestamp) => ScheduleEnd = NextStart = timestamp;

    /// <summary>A simulation that takes its own time has ended.</summary>
    internal void GoOnAt(long timestamp) => NextStart = timestamp;
}
