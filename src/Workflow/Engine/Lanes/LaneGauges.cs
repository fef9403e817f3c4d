namespace Workflow.Engine.Lanes;

/// <summary>Counts of a lane's memory. The lane sets them; any thread may read them.</summary>
internal sealed class LaneGauges
{
    public int LiveInstances { get; private set; }
    public int OpenTasks { get; private set; }
    public int BufferedSignals { get; private set; }
    public int DeadLetters { get; private set; }
    public int DeadSignals { get; private set; }

    public void Read(LaneState state)
    {
        LiveInstances = state.Instances.Live.Count;
        OpenTasks = state.Tasks.Count;
        BufferedSignals = state.SignalStore.Stored.Count;
        DeadLetters = state.DeadLetters.Index.Count;
        DeadSignals = state.DeadLetters.Index.Signals;
    }
}
