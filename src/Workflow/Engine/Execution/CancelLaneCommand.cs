namespace Workflow.Engine.Execution;

/// <summary>Cancels an instance. The result is false when it is not live here: the store tells why.</summary>
internal sealed class CancelLaneCommand(Guid instanceId) : LaneCommand<bool>
{
    public override string Description => $"cancellation of instance {instanceId}";

    public override void Apply(LaneExecutor executor) => Succeed(executor.Cancel(instanceId));
}
