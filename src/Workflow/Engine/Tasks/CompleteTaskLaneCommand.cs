namespace Workflow.Engine.Tasks;

/// <summary>Completes a task. There is no result if the task is not open here.</summary>
internal sealed class CompleteTaskLaneCommand(CompleteTaskCommand request, string? requestHash)
    : LaneCommand<KeyedResult<TaskAccepted>>
{
    public override string? Key { get; } = KeyOf("task", request.IdempotencyKey);

    public override long Size => request.Output.Weight;
    public override string Description => $"completion of task {request.TaskId}";

    public override void NoteNeeds(LaneState lane) => lane.Dormancy.TryNeedTask(request.TaskId);

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsRepeated: true)))
        {
            return;
        }

        var accepted = lane.Tasks.Complete(request.TaskId, request.Output);
        if (accepted is not null)
        {
            StoreKey(lane, requestHash, request.TaskId);
        }

        Succeed(new(accepted, IsRepeated: false));
    }
}
