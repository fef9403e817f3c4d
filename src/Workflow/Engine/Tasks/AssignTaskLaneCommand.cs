namespace Workflow.Engine.Tasks;

/// <summary>Assigns a task. There is no result if the task is not open here.</summary>
internal sealed class AssignTaskLaneCommand(Guid taskId, string assignee, string? idempotencyKey, string? requestHash)
    : LaneCommand<KeyedResult<TaskAccepted>>
{
    public override string? Key { get; } = KeyOf("assign", idempotencyKey);
    public override string Description => $"assignment of task {taskId} to '{assignee}'";

    public override void NoteNeeds(LaneState lane) => lane.Dormancy.TryNeedTask(taskId);

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsRepeated: true)))
        {
            return;
        }

        var accepted = lane.Tasks.Assign(taskId, assignee);
        if (accepted is not null)
        {
            StoreKey(lane, requestHash, taskId);
        }

        Succeed(new(accepted, IsRepeated: false));
    }
}
