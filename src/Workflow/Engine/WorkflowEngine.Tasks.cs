using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Execution;
using Workflow.Engine.Inboxes;

namespace Workflow.Engine;

/// <content>Tasks, and the cancellation of instances.</content>
public sealed partial class WorkflowEngine
{
    /// <inheritdoc/>
    public async Task<InstanceCancellation> CancelAsync(Guid id, CancellationToken cancellationToken = default)
    {
        if (await CarryOutAsync(Partitioning.OfInstance(id), RemoteKind.Cancel, () => new CancelLaneCommand(id), () => new() { Id = id }, cancellationToken).ConfigureAwait(false))
        {
            return new(id, Duplicate: false);
        }

        var row = await _store.FindInstanceAsync(id, cancellationToken).ConfigureAwait(false) ?? throw new InstanceNotFoundException(id);
        return row.State == InstanceState.Cancelled ? new(id, Duplicate: true) : throw new InstanceFinishedException(id, row.State.ToString().ToLowerInvariant());
    }

    /// <inheritdoc/>
    public async Task<TaskView?> FindTaskAsync(Guid id, CancellationToken cancellationToken = default) =>
        await _store.FindTaskAsync(id, cancellationToken).ConfigureAwait(false) is { } row ? ToView(row) : null;

    /// <inheritdoc/>
    public async Task<TaskList> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken = default)
    {
        CommandChecks.CheckLimit(query.Limit);
        var rows = await _store.ListTasksAsync(query, cancellationToken).ConfigureAwait(false);
        return new([.. rows.Select(ToView)], rows.Count == query.Limit ? rows[^1].Id : null);
    }

    /// <inheritdoc/>
    public async Task<TaskAccepted> AssignTaskAsync(Guid id, string assignee, CancellationToken cancellationToken = default)
    {
        CommandChecks.CheckAssignee(assignee);
        return await CarryOutAsync(
                Partitioning.OfInstance(id), RemoteKind.Assign, () => new AssignTaskLaneCommand(id, assignee), () => new() { Id = id, Assignee = assignee }, cancellationToken).ConfigureAwait(false)
            ?? throw new TaskClosedException(await FindClosedAsync(id, cancellationToken).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public async Task<TaskAccepted> CompleteTaskAsync(CompleteTaskCommand command, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(command);
        var hash = CommandChecks.Hash(command.IdempotencyKey, command.TaskId.ToString(), command.IdempotencyKey is null ? null : command.Output.ToString());
        var completion = await CarryOutAsync(
            Partitioning.OfInstance(command.TaskId),
            RemoteKind.Complete,
            () => new CompleteTaskLaneCommand(command, hash),
            () => new() { Id = command.TaskId, Value = RemoteCommand.TextOf(command.Output), IdempotencyKey = command.IdempotencyKey, RequestHash = hash },
            cancellationToken).ConfigureAwait(false);
        if (completion.Accepted is { } accepted)
        {
            return accepted;
        }

        var closed = await FindClosedAsync(command.TaskId, cancellationToken).ConfigureAwait(false);
        return completion.IsDuplicate ? new(closed.Id, closed.InstanceId, closed.State, closed.Assignee, Duplicate: true) : throw new TaskClosedException(closed);
    }

    private async Task<TaskView> FindClosedAsync(Guid id, CancellationToken cancellationToken) =>
        await FindTaskAsync(id, cancellationToken).ConfigureAwait(false) ?? throw new TaskNotFoundException(id);

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
