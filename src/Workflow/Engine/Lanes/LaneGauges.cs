namespace Workflow.Engine.Lanes;

/// <summary>
/// Counts of a lane, including what only the store has. The lane sets them; any thread may read them.
/// </summary>
internal sealed class LaneGauges
{
    public long LiveInstances { get; private set; }

    /// <summary>The live instances in memory; the others are dormant, or not recovered yet.</summary>
    public int ResidentInstances { get; private set; }

    /// <summary>Whether instances that were in memory before the lane was loaded are still read.</summary>
    public bool IsRecovering { get; private set; }

    /// <summary>Whether timers of dormant instances are read, which may be due.</summary>
    public bool IsReadingTimers { get; set; }

    /// <summary>Without the tasks of instances that are not recovered yet.</summary>
    public long OpenTasks { get; private set; }
    public int BufferedSignals { get; private set; }
    public int DeadLetters { get; private set; }
    public int DeadSignals { get; private set; }

    public void Read(LaneState state)
    {
        ResidentInstances = state.Instances.Residents.Count;
        LiveInstances = ResidentInstances + state.Dormancy.Dormant + state.Dormancy.Unread;
        IsRecovering = !state.Dormancy.IsRecovered;
        OpenTasks = state.Tasks.Count + state.Dormancy.DormantTasks;
        BufferedSignals = state.SignalStore.Stored.Count;
        DeadLetters = state.DeadLetters.Index.Count;
        DeadSignals = state.DeadLetters.Index.Signals;
    }
}
