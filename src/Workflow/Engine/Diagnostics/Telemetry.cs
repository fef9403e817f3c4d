namespace Workflow.Engine.Diagnostics;

/// <summary>The counters of an engine, which are part of <see cref="EngineStatistics"/>.</summary>
internal sealed class Telemetry
{
    public Count Started { get; } = new();
    public Count Completed { get; } = new();
    public Count Failed { get; } = new();
    public Count Called { get; } = new();
    public Count Cancelled { get; } = new();
    public Count Suspended { get; } = new();
    public Count Resumed { get; } = new();
    public Count Retried { get; } = new();
    public Count Signals { get; } = new();
    public Count SignalsConsumed { get; } = new();
    public Count SignalsExpired { get; } = new();
    public Count UnreceivedSignals { get; } = new();
    public Count Commits { get; } = new();
    public Count Flushes { get; } = new();
    public Count FailedFlushes { get; } = new();
    public Count LaneReloads { get; } = new();
    public Count FlushedCommands { get; } = new();
    public Count RejectedCommands { get; } = new();
    public Count CrossPartitionMessages { get; } = new();
    public Count DeadLettered { get; } = new();
    public Count PendingCommands { get; } = new();

    /// <summary>Dormant instances that came into memory.</summary>
    public Count Wakeups { get; } = new();

    /// <summary>Reads of dormant instances that commands waited for.</summary>
    public Count LookUps { get; } = new();

    public double LookUpSeconds => (double)_lookUpTicks.Value / TimeSpan.TicksPerSecond;

    private readonly Count _lookUpTicks = new();

    public void CountLookUp(TimeSpan time)
    {
        LookUps.Add(1);
        _lookUpTicks.Add(time.Ticks);
    }

    public void Flushed(int commands, BatchTally tally)
    {
        Flushes.Add(1);
        FlushedCommands.Add(commands);
        Started.Add(tally.Started);
        Completed.Add(tally.Completed);
        Failed.Add(tally.Failed);
        Called.Add(tally.Called);
        Cancelled.Add(tally.Cancelled);
        Suspended.Add(tally.Suspended);
        Resumed.Add(tally.Resumed);
        Retried.Add(tally.Retried);
        Signals.Add(tally.Signals);
        SignalsConsumed.Add(tally.SignalsConsumed);
        SignalsExpired.Add(tally.SignalsExpired);
        CrossPartitionMessages.Add(tally.Messages);
        DeadLettered.Add(tally.DeadLettered);
    }
}
