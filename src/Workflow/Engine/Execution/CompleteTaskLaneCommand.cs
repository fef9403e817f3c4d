using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Tasks;

namespace Workflow.Engine.Execution;

/// <summary>Completes a task. The result is null when it is not open here, or was completed under the same key: the store tells.</summary>
internal sealed class CompleteTaskLaneCommand(CompleteTaskCommand request, string? requestHash) : LaneCommand<TaskAccepted?>
{
    /// <summary>True when an earlier request with the same key has completed it. Read it after the completion.</summary>
    public bool IsDuplicate { get; private set; }

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

            IsDuplicate = true;
            Succeed(null);
            return;
        }

        var accepted = executor.CompleteTask(request.TaskId, request.Output);
        if (Key is not null && accepted is not null)
        {
            executor.AddKey(Key, requestHash!, request.TaskId);
        }

        IsDuplicate = false;
        Succeed(accepted);
    }
}
