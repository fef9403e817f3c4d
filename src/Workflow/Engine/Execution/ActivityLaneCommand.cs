using Workflow.Abstractions;

namespace Workflow.Engine.Execution;

/// <summary>An activity has returned or failed. It counts as under way until that is committed.</summary>
internal sealed class ActivityLaneCommand(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure, Action? done = null) : LaneCommand
{
    public Guid InstanceId => instanceId;

    public Guid WaitId => waitId;

    /// <summary>True when it tells of a failure.</summary>
    public bool IsFailure => failure is not null;

    public override string Description => $"activity result for instance {instanceId}";

    public override void Apply(LaneExecutor executor) => executor.FinishActivity(instanceId, waitId, result, failure);

    public override void Acknowledge() => done?.Invoke();

    public override void Fail(Exception error) => done?.Invoke();
}
