using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Engine.Execution;

/// <summary>Completes a task.</summary>
internal sealed class CompleteTaskLaneCommand(CompleteTaskCommand request, string? requestHash) : LaneCommand<TaskCompletion>
{
    public override string? Key { get; } = request.IdempotencyKey is null ? null : "task:" + request.IdempotencyKey;

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
