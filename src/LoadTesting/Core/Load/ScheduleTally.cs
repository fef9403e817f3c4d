namespace LoadTesting.Core.Load;

/// <summary>What the schedule of one scenario has asked for. Written by its thread alone.</summary>
internal sealed class ScheduleTally
{
    /// <summary>When the load began, in Stopwatch ticks.</summary>
    internal required long Start { get; init; }

    /// <summary>When the part of the schedule that is bound to time ended; 0 where none was.</summary>
    internal long ScheduleEnd { get; set; }

    /// <summary>Iterations that simulations with a known number asked for.</summary>
    internal long Asked { get; set; }

    internal long DroppedInFlightLimit { get; set; }

    internal long DroppedAfterStop { get; set; }

    /// <summary>Simulations bound to a deadline: they ask for what they claim.</summary>
    internal List<ClosedWork> UntilDeadline { get; } = [];

    internal long Requested => Asked + UntilDeadline.Sum(work => work.Claimed);
}
