namespace Workflow.Engine.Tasks;

internal sealed class CompleteTaskLaneCommand(
    CompleteTaskCommand request, string? requestHash) : LaneCommand<TaskCompletion>
{
    public override string? Key { get; } = KeyOf("task", request.IdempotencyKey);

    public override long Size => request.Output.Weight;
    public override string Description => $"completion of task {request.TaskId}";

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsDuplicate: true)))
        {
            return;
        }

        var accepted = lane.Tasks.Complete(request.TaskId, request.Output);
        if (accepted is not null)
        {
            StoreKey(lane, requestHash, request.TaskId);
        }

        Succeed(new(accepted, IsDuplicate: false));
    }
}

/// <param name="Accepted">Null if the task is not open here; the store has the reason.</param>
/// <param name="IsDuplicate">True if an earlier request with the same key has completed the task.</param>
internal sealed record TaskCompletion(TaskAccepted? Accepted, bool IsDuplicate);
