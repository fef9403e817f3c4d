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

/// <summary>What callers ask of tasks. Where a lane cannot do it, the store says why.</summary>
internal sealed class TaskRequests(IWorkflowStore store, WorkflowEngineOptions options, ICommandRouter router)
{
    public async Task<TaskView?> FindAsync(Guid id, CancellationToken cancellationToken) =>
        await store.FindTaskAsync(id, cancellationToken) is { } row ? ToView(row) : null;

    public async Task<TaskList> ListAsync(TaskQuery query, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        var (rows, isLast) = await Pages.ReadAsync(
            query.Limit,
            query.After,
            (after, limit) => store.ListTasksAsync(query with { After = after, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Output?.Length ?? 0);
        return new([.. rows.Select(ToView)], isLast ? null : rows[^1].Id);
    }

    public async Task<TaskAccepted> AssignAsync(Guid id, string assignee, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckAssignee(assignee);
        CommandChecks.CheckKey(idempotencyKey);
        var hash = CommandChecks.Hash(idempotencyKey, id.ToString(), assignee);
        var accepted = await router.ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Assign, new AssignTaskLaneCommand(id, assignee, idempotencyKey, hash),
            _ => new() { Id = id, Assignee = assignee, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken)
            ?? throw new TaskClosedException(await FindClosedAsync(id, cancellationToken));
        if (accepted.InstanceId != Guid.Empty)
        {
            return accepted;
        }

        var row = await store.FindTaskAsync(id, cancellationToken) ?? throw new TaskNotFoundException(id);
        return new(id, row.InstanceId, row.State, row.Assignee, Duplicate: true);
    }

    public async Task<TaskAccepted> CompleteAsync(CompleteTaskCommand command, CancellationToken cancellationToken)
    {
        CommandChecks.Check(command, options.Limits.MaxInstanceSize);
        var hash = CommandChecks.Hash(
            command.IdempotencyKey, command.TaskId.ToString(), command.IdempotencyKey is null ? null : command.Output.ToString());
        var completion = await router.ExecuteAsync(
            Partitioning.OfInstance(command.TaskId),
            RemoteKind.Complete,
            new CompleteTaskLaneCommand(command, hash),
            _ => new()
            {
                Id = command.TaskId,
                Value = RemoteCommand.TextOf(command.Output),
                IdempotencyKey = command.IdempotencyKey,
                RequestHash = hash,
            },
            cancellationToken);
        if (completion.Accepted is { } accepted)
        {
            return accepted;
        }

        var closed = await FindClosedAsync(command.TaskId, cancellationToken);
        return completion.IsDuplicate
            ? new(closed.Id, closed.InstanceId, closed.State, closed.Assignee, Duplicate: true)
            : throw new TaskClosedException(closed);
    }

    private async Task<TaskView> FindClosedAsync(Guid id, CancellationToken cancellationToken) =>
        await FindAsync(id, cancellationToken) ?? throw new TaskNotFoundException(id);

    private static TaskView ToView(TaskRow row) => new()
    {
        Id = row.Id,
        InstanceId = row.InstanceId,
        Definition = row.Definition,
        DefinitionVersion = row.DefinitionVersion,
        CorrelationKey = row.CorrelationKey,
        Step = row.Step,
        State = row.State,
        Assignee = row.Assignee,
        Groups = row.Groups,
        Output = row.Output is null ? null : Value.Parse(row.Output).ToJsonElement(),
        CreatedUtc = row.CreatedUtc,
        UpdatedUtc = row.UpdatedUtc,
        DueAt = row.DueUtc,
    };
}
