namespace Workflow.Engine.Lanes;

/// <summary>Counts of a lane, including what only the store has. The lane sets them; any thread may read them.</summary>
internal sealed class LaneGauges
{
    public long LiveInstances { get; private set; }

    /// <summary>The live instances in memory; the others are dormant.</summary>
    public int ResidentInstances { get; private set; }

    public long OpenTasks { get; private set; }
    public int BufferedSignals { get; private set; }
    public int DeadLetters { get; private set; }
    public int DeadSignals { get; private set; }

    public void Read(LaneState state)
    {
        ResidentInstances = state.Instances.Residents.Count;
        LiveInstances = ResidentInstances + state.Dormancy.Dormant;
        OpenTasks = state.Tasks.Count + state.Dormancy.DormantTasks;
        BufferedSignals = state.SignalStore.Stored.Count;
        DeadLetters = state.DeadLetters.Index.Count;
        DeadSignals = state.DeadLetters.Index.Signals;
    }
}
