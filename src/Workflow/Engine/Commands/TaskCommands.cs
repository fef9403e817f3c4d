using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Execution;

namespace Workflow.Engine.Commands;

/// <summary>Assigns a task. The result is null when it is not open here: the store has the reason.</summary>
internal sealed class AssignTaskLaneCommand(Guid taskId, string assignee) : LaneCommand<TaskAccepted?>
{
    public override string Description => $"assignment of task {taskId} to '{assignee}'";

    public override void Apply(LaneExecutor executor) => Succeed(executor.AssignTask(taskId, assignee));
}

internal sealed class CompleteTaskLaneCommand(CompleteTaskCommand request, string? requestHash) : LaneCommand<TaskCompletion>
{
    public override string? Key { get; } = request.IdempotencyKey is null ? null : "task:" + request.IdempotencyKey;

    public override long Size => request.Output.Weight;
    public override string Description => $"completion of task {request.TaskId}";

    public override void Apply(LaneExecutor executor)
    {
        if (Key is not null && executor.FindKey(Key) is { } known)
        {
            if (known.RequestHash != requestHash)
            {
                Refuse(new IdempotencyConflictException(request.IdempotencyKey!));
                return;
            }

            Succeed(new(null, IsDuplicate: true));
            return;
        }

        var accepted = executor.CompleteTask(request.TaskId, request.Output);
        if (Key is not null && accepted is not null)
        {
            executor.AddKey(Key, requestHash!, request.TaskId);
        }

        Succeed(new(accepted, IsDuplicate: false));
    }
}

/// <param name="Accepted">Null when the task is not open here: the store has the reason.</param>
/// <param name="IsDuplicate">True when an earlier request with the same key has completed it.</param>
internal sealed record TaskCompletion(TaskAccepted? Accepted, bool IsDuplicate);
