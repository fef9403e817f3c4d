namespace Workflow.Engine.Instances;

/// <summary>What callers ask of instances. Where a lane cannot do it, the store says why.</summary>
internal sealed class InstanceRequests(
    IWorkflowStore store, WorkflowEngineOptions options, DefinitionRegistry definitions, ICommandRouter router)
{
    private const int MaxChildrenShown = 1_000;

    public Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken) =>
        Tracing.IsOn ? TracedStartAsync(command, cancellationToken) : StartUntracedAsync(command, cancellationToken);

    public async Task<InstanceView?> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        if (await store.FindInstanceAsync(id, cancellationToken) is not { } row)
        {
            return null;
        }

        var body = InstanceBody.Parse(row.Body);
        var children = body.Children == 0
            ? null
            : await store.FindChildrenAsync(id, MaxChildrenShown, cancellationToken);
        return InstanceCodec.ToView(row, body) with { Children = children };
    }

    public async Task<InstanceList> ListAsync(InstanceQuery query, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        var bounded = query.WithBounds();
        var (rows, isLast) = await Pages.ReadAsync(
            query.Limit,
            bounded.After,
            (after, limit) => store.ListInstancesAsync(bounded with { After = after, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Body.Length);
        return new([.. rows.Select(InstanceCodec.ToView)], isLast ? null : rows[^1].Id);
    }

    public async Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        await store.FindHistoryAsync(id, cancellationToken) is { } lines ? InstanceHistory.Parse(lines) : null;

    public async Task<InstanceCancellation> CancelAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var hash = CommandChecks.Hash(idempotencyKey, id.ToString());
        if (await router.ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Cancel, new CancelLaneCommand(id, idempotencyKey, hash),
            _ => new() { Id = id, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken))
        {
            return new(id, Duplicate: false);
        }

        var row = await store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
        return row.State == InstanceState.Cancelled
            ? new(id, Duplicate: true)
            : throw new InstanceFinishedException(id, Word(row.State));
    }

    /// <param name="kind"><see cref="RemoteKind.Suspend"/> or <see cref="RemoteKind.Resume"/>.</param>
    /// <param name="changed">What it is then, for messages.</param>
    public async Task<InstanceChange> ChangeAsync(
        string kind, string changed, Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var hash = CommandChecks.Hash(idempotencyKey, id.ToString());
        var change = await router.ExecuteAsync(
            Partitioning.OfInstance(id), kind, new ChangeLaneCommand(kind, id, idempotencyKey, hash),
            _ => new() { Id = id, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken)
            ?? throw await WhyNotLiveAsync(id, changed, cancellationToken);
        if (change.Id == id)
        {
            return change;
        }

        var row = await store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
        return change with { Id = id, State = row.State };
    }

    public async Task<InstanceChange> RetryAsync(RetryCommand command, CancellationToken cancellationToken)
    {
        CommandChecks.Check(command, options.Limits.MaxInstanceSize);
        var id = command.InstanceId;
        var hash = CommandChecks.Hash(
            command.IdempotencyKey, id.ToString(), command.IdempotencyKey is null ? null : command.Variables.ToString());
        for (var reads = 1; ; reads++)
        {
            var retry = await router.ExecuteAsync(
                Partitioning.OfInstance(id),
                RemoteKind.Retry,
                new RetryLaneCommand(command, hash),
                _ => new()
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

            var row = await store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
            if (retry.IsDuplicate)
            {
                return new(id, row.State, Duplicate: true);
            }

            // Where it has failed only since the lane read it, the lane reads it again.
            var remedy = WhyNotRetried(row);
            if (remedy is not null || reads == ICommandRouter.MaxMoves)
            {
                throw new InstanceStateException(
                    id, Word(row.State), "retried", remedy ?? "It was changed meanwhile: send the retry again.");
            }
        }
    }

    /// <summary>A state as callers see it.</summary>
    public static string Word(InstanceState state) => JsonNamingPolicy.CamelCase.ConvertName(state.ToString());

    private async Task<InstanceStarted> TracedStartAsync(StartCommand command, CancellationToken cancellationToken)
    {
        using var span = Tracing.Start(command);
        try
        {
            var started = await StartUntracedAsync(command, cancellationToken);
            span?.SetTag("workflow.instance.id", started.Id);
            return started;
        }
        catch (Exception e)
        {
            span.Fail(e);
            throw;
        }
    }

    /// <remarks>Without a state machine of its own, which would be one for each start.</remarks>
    private Task<InstanceStarted> StartUntracedAsync(StartCommand command, CancellationToken cancellationToken)
    {
        try
        {
            CommandChecks.Check(command, options.Limits.MaxInstanceSize);
            return definitions.Find(command.Definition, command.Version) is { } definition
                ? StartAsync(definition, command, cancellationToken)
                : StartUnknownAsync(command, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<InstanceStarted>(e);
        }
    }

    private async Task<InstanceStarted> StartUnknownAsync(StartCommand command, CancellationToken cancellationToken)
    {
        if (router.HasNodes)
        {
            // Another node may have registered it.
            await definitions.RefreshAsync(cancellationToken);
        }

        return await StartAsync(definitions.Get(command.Definition, command.Version), command, cancellationToken);
    }

    private Task<InstanceStarted> StartAsync(WorkflowDefinition definition, StartCommand command, CancellationToken cancellationToken)
    {
        var hash = command.IdempotencyKey is null
            ? null
            : CommandChecks.Hash(command.IdempotencyKey, command.Definition, command.Version?.ToString(CultureInfo.InvariantCulture),
                command.CorrelationKey, command.Input.ToString());
        var id = router.NewInstanceId(command.CorrelationKey, command.IdempotencyKey);
        return router.ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Start, new StartLaneCommand(definition, command, id, hash),
            static start => ((StartLaneCommand)start).Describe(), cancellationToken);
    }

    private async Task<Exception> WhyNotLiveAsync(Guid id, string refused, CancellationToken cancellationToken) =>
        await store.FindInstanceAsync(id, cancellationToken) is not { } row
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
            : definitions.Find(row.Definition, row.DefinitionVersion) is null
            ? $"Version {row.DefinitionVersion} of its definition '{row.Definition}' is not registered: POST /definitions, then retry."
            : null;
    }
}
