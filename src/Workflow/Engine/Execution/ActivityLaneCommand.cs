using Workflow.Abstractions;

namespace Workflow.Engine.Execution;

/// <summary>An activity has returned or failed.</summary>
internal sealed class ActivityLaneCommand(Guid instanceId, Guid waitId, Value result, string? error) : LaneCommand
{
    public override string Description => $"activity result for instance {instanceId}";

    public override void Apply(LaneExecutor executor) => executor.FinishActivity(instanceId, waitId, result, error);
}
