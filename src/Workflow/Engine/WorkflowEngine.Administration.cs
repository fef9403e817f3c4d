using System.Text.Json;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;
using Workflow.Engine.Commands;
using Workflow.Engine.Instances;
using Workflow.Engine.Lanes;

namespace Workflow.Engine;

/// <content>Suspend, resume and retry; where a lane cannot do it, the store says why.</content>
public sealed partial class WorkflowEngine
{
    public Task<InstanceChange> SuspendAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        ChangeAsync(RemoteKind.Suspend, "suspended", id, idempotencyKey, cancellationToken);

    public Task<InstanceChange> ResumeAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default) =>
        ChangeAsync(RemoteKind.Resume, "resumed", id, idempotencyKey, cancellationToken);

    private async Task<InstanceChange> ChangeAsync(
        string kind, string changed, Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var hash = CommandChecks.Hash(idempotencyKey, id.ToString());
        var change = await ExecuteAsync(
            Partitioning.OfInstance(id), kind, () => new ChangeLaneCommand(kind, id, idempotencyKey, hash),
            () => new() { Id = id, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken)
            ?? throw await WhyNotLiveAsync(id, changed, cancellationToken);
        if (!change.Duplicate || idempotencyKey is null)
        {
            return change;
        }

        var row = await _store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
        return change with { State = row.State };
    }

    public async Task<InstanceChange> RetryAsync(RetryCommand command, CancellationToken cancellationToken = default)
    {
        CommandChecks.Check(command, _options.Limits.MaxInstanceSize);
        var id = command.InstanceId;
        var hash = CommandChecks.Hash(
            command.IdempotencyKey, id.ToString(), command.IdempotencyKey is null ? null : command.Variables.ToString());
        for (var reads = 1; ; reads++)
        {
            var retry = await ExecuteAsync(
                Partitioning.OfInstance(id),
                RemoteKind.Retry,
                () => new RetryLaneCommand(command, hash),
                () => new()
                {
                    Id = id,
                    Value = RemoteCommand.TextOf(command.Variables),
                    IdempotencyKey = command.IdempotencyKey,
                    RequestHash = hash,
                },
                cancellationToken);
            if (retry.Change is { } change)
            {
                return change;
            }

            var row = await _store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
            if (retry.IsDuplicate)
            {
                return new(id, row.State, Duplicate: true);
            }

            // Where it has failed only since the lane read it, the lane reads it again.
            var remedy = WhyNotRetried(row);
            if (remedy is not null || reads == MaxMoves)
            {
                throw new InstanceStateException(
                    id, Word(row.State), "retried", remedy ?? "It was changed meanwhile: send the retry again.");
            }
        }
    }

    private async Task<Exception> WhyNotLiveAsync(Guid id, string refused, CancellationToken cancellationToken) =>
        await _store.FindInstanceAsync(id, cancellationToken) is not { } row
            ? new InstanceNotFoundException(id)
            : new InstanceStateException(id, Word(row.State), refused, row.State == InstanceState.Failed
                ? $"POST /instances/{id}/retry lets it go on where it stopped."
                : $"GET /instances/{id} shows how it ended.");

    /// <returns>What can be done instead; null when a retry is possible.</returns>
    private string? WhyNotRetried(InstanceRow row)
    {
        switch (row.State)
        {
            case InstanceState.Failed:
                break;
            case InstanceState.Suspended:
                return $"Only a failed instance can be. POST /instances/{row.Id}/resume lets a suspended one go on.";
            default:
                return $"Only a failed instance can be. GET /instances/{row.Id} shows what it does or how it ended.";
        }

        var body = InstanceBody.Parse(row.Body);
        return body.ParentId is { } parent
            ? $"It was called by instance {parent}, which has its error. If that has failed too, POST /instances/{parent}/retry calls anew."
            : !RetryHandler.CanRetry(body.ParentId, body.Waits)
            ? "It failed under an earlier version, which did not keep where it stood: start a new instance."
            : _definitions.Find(row.Definition, row.DefinitionVersion) is null
            ? $"Version {row.DefinitionVersion} of its definition '{row.Definition}' is not registered: POST /definitions, then retry."
            : null;
    }

    private static string Word(InstanceState state) => JsonNamingPolicy.CamelCase.ConvertName(state.ToString());
}
