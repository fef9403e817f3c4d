using Workflow.Engine.Cluster;

namespace Workflow.Engine.Tasks;

/// <summary>
/// Executes requests about tasks for callers. If a lane cannot execute one, the store gives the reason.
/// </summary>
internal sealed class TaskRequests(IWorkflowStore store, WorkflowEngineOptions options, CommandRouter router)
{
    public async Task<TaskView?> FindAsync(Guid id, CancellationToken cancellationToken) =>
        await store.FindTaskAsync(id, cancellationToken) is { } row ? ToView(row) : null;

    public async Task<TaskList> ListAsync(TaskQuery query, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        var page = await Pages.ReadAsync(
            new(query.Limit, query.After, query.Before, query.NewestFirst, query.MostExamined),
            most => store.CountTasksAsync(query, most, cancellationToken),
            (after, before, limit) => store.ListTasksAsync(
                query with { After = after, Before = before, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Output?.Length ?? 0);
        return new([.. page.Rows.Select(ToView)], page.Next);
    }

    public Task<ListCount> CountAsync(TaskQuery query, int most, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        CommandChecks.CheckMostExamined(most);
        return store.CountTasksAsync(query, most, cancellationToken);
    }

    public async Task<TaskAccepted> AssignAsync(
        Guid id, string assignee, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckAssignee(assignee);
        CommandChecks.CheckKey(idempotencyKey);
        var hash = RequestHash.Of(idempotencyKey, id.ToString(), assignee);
        var assignment = await router.ExecuteAsync(
            Partitioning.OfInstance(id),
            RemoteKind.Assign,
            new AssignTaskLaneCommand(id, assignee, idempotencyKey, hash),
            _ => new() { Id = id, Assignee = assignee, IdempotencyKey = idempotencyKey, RequestHash = hash },
            cancellationToken);
        return assignment.Result ?? await ReadAcceptedAsync(id, assignment.IsRepeated, cancellationToken);
    }

    public async Task<TaskAccepted> CompleteAsync(CompleteTaskCommand command, CancellationToken cancellationToken)
    {
        CommandChecks.Check(command, options.Limits.MaxInstanceSize);
        var hash = RequestHash.Of(command.IdempotencyKey, command.Output, command.TaskId.ToString());
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
        return completion.Result
            ?? await ReadAcceptedAsync(command.TaskId, completion.IsRepeated, cancellationToken);
    }

    /// <summary>Reads the outcome of a repeated request.</summary>
    /// <exception cref="TaskClosedException">The request is new, and the task is not open.</exception>
    private async Task<TaskAccepted> ReadAcceptedAsync(Guid id, bool isRepeated, CancellationToken cancellationToken)
    {
        var task = await FindAsync(id, cancellationToken) ?? throw new TaskNotFoundException(id);
        return isRepeated
            ? new(id, task.InstanceId, task.State, task.Assignee, Duplicate: true)
            : throw new TaskClosedException(task);
    }

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
