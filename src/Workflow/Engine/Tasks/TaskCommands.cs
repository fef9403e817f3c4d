using Workflow.Abstractions;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Commands;

namespace Workflow.Engine.Tasks;

/// <summary>Assigns a task. The result is null when it is not open here: the store has the reason.</summary>
internal sealed class AssignTaskLaneCommand(Guid taskId, string assignee, string? idempotencyKey, string? requestHash)
    : LaneCommand<TaskAccepted?>
{
    public override string? Key { get; } = KeyOf("assign", idempotencyKey);
    public override string Description => $"assignment of task {taskId} to '{assignee}'";

    public override void Apply(LaneContext lane)
    {
        // Sent again, it is answered with the task that the store has by then.
        if (IsRepeated(lane, requestHash, _ => new(taskId, Guid.Empty, TaskState.Open, assignee, Duplicate: true)))
        {
            return;
        }

        var accepted = lane.Handler<TaskHandler>().Assign(taskId, assignee);
        if (accepted is not null)
        {
            KeepKey(lane, requestHash, taskId);
        }

        Succeed(accepted);
    }
}

internal sealed class CompleteTaskLaneCommand(CompleteTaskCommand request, string? requestHash) : LaneCommand<TaskCompletion>
{
    public override string? Key { get; } = KeyOf("task", request.IdempotencyKey);

    public override long Size => request.Output.Weight;
    public override string Description => $"completion of task {request.TaskId}";

    public override void Apply(LaneContext lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsDuplicate: true)))
        {
            return;
        }

        var accepted = lane.Handler<TaskHandler>().Complete(request.TaskId, request.Output);
        if (accepted is not null)
        {
            KeepKey(lane, requestHash, request.TaskId);
        }

        Succeed(new(accepted, IsDuplicate: false));
    }
}

/// <param name="Accepted">Null when the task is not open here: the store has the reason.</param>
/// <param name="IsDuplicate">True when an earlier request with the same key has completed it.</param>
internal sealed record TaskCompletion(TaskAccepted? Accepted, bool IsDuplicate);
