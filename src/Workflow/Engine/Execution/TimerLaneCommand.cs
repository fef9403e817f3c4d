using Workflow.Engine.Timers;

namespace Workflow.Engine.Execution;

/// <summary>Something is due.</summary>
internal sealed class TimerLaneCommand(TimerEntry entry) : LaneCommand
{
    public TimerEntry Entry => entry;

    public override string Description => entry.SignalId == Guid.Empty
        ? $"timer of instance {entry.InstanceId}"
        : $"timer of signal {entry.SignalId}";

    public override bool CanBePutAside => true;

    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts)
    {
        if (entry.SignalId == Guid.Empty)
        {
            executor.PutTimerAside(entry, letterId, reason, attempts);
        }
        else
        {
            executor.PutSignalAside(entry.SignalId, letterId, reason, attempts);
        }
    }

    public override void Apply(LaneExecutor executor) => executor.Fire(entry);
}
