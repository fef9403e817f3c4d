using Workflow.Engine.Timers;

namespace Workflow.Engine.Execution;

/// <summary>Something is due.</summary>
internal sealed class TimerLaneCommand(TimerEntry entry) : LaneCommand
{
    public TimerEntry Entry => entry;

    public override string Description => entry.SignalId == Guid.Empty
        ? $"timer of instance {entry.InstanceId}"
        : $"timer of signal {entry.SignalId}";

    public override void Apply(LaneExecutor executor) => executor.Fire(entry);
}
