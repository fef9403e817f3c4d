namespace Workflow.Engine.Tasks;

/// <summary>Assigns a task. The result is null if the task is not open here; the store has the reason.</summary>
internal sealed class AssignTaskLaneCommand(Guid taskId, string assignee, string? idempotencyKey, string? requestHash)
    : LaneCommand<TaskAccepted?>
{
    public override string? Key { get; } = KeyOf("assign", idempotencyKey);
    public override string Description => $"assignment of task {taskId} to '{assignee}'";

    /// <summary>Whether a result stands for an earlier request: the present task is in the store.</summary>
    public static bool IsRepeat(TaskAccepted accepted) => accepted.InstanceId == Guid.Empty;

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(taskId, Guid.Empty, TaskState.Open, assignee, Duplicate: true)))
        {
            return;
        }

        var accepted = lane.Tasks.Assign(taskId, assignee);
        if (accepted is not null)
        {
            StoreKey(lane, requestHash, taskId);
        }

        Succeed(accepted);
    }
}
