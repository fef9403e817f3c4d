using Workflow.Engine.Cluster;

namespace Workflow.Engine.Instances;

/// <summary>
/// Executes requests about instances for callers. If a lane cannot execute one, the store gives the reason.
/// </summary>
internal sealed class InstanceRequests(
    IWorkflowStore store, WorkflowEngineOptions options, DefinitionRegistry definitions, CommandRouter router)
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
        return InstanceCodec.ToView(row, body) with { Children = children, RetrySteps = FindRetrySteps(row, body) };
    }

    public async Task<InstanceList> ListAsync(InstanceQuery query, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        var bounded = query.WithBounds();
        var page = await Pages.ReadAsync(
            new(query.Limit, bounded.After, bounded.Before, query.NewestFirst, query.MostExamined),
            most => store.CountInstancesAsync(bounded, most, cancellationToken),
            (after, before, limit) => store.ListInstancesAsync(
                bounded with { After = after, Before = before, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Body.Length);
        return new([.. page.Rows.Select(InstanceCodec.ToView)], page.Next);
    }

    public Task<ListCount> CountAsync(InstanceQuery query, int most, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        CommandChecks.CheckMostExamined(most);
        return store.CountInstancesAsync(query.WithBounds(), most, cancellationToken);
    }

    public async Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken) =>
        await store.FindHistoryAsync(id, cancellationToken) is { } lines ? InstanceHistory.Parse(lines) : null;

    public async Task<InstanceCancellation> CancelAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var hash = RequestHash.Of(idempotencyKey, id.ToString());
        if (await router.ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Cancel, new CancelLaneCommand(id, idempotencyKey, hash),
            _ => new() { Id = id, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken))
        {
            return new(id, Duplicate: false);
        }

        var row = await store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
        return row.State == InstanceState.Cancelled
            ? new(id, Duplicate: true)
            : throw new InstanceFinishedException(id, NameOf(row.State));
    }

    /// <param name="kind"><see cref="RemoteKind.Suspend"/> or <see cref="RemoteKind.Resume"/>.</param>
    /// <param name="changed">The name of the change, for messages.</param>
    public async Task<InstanceChange> ChangeAsync(
        string kind, string changed, Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var hash = RequestHash.Of(idempotencyKey, id.ToString());
        var change = await router.ExecuteAsync(
            Partitioning.OfInstance(id), kind, new ChangeLaneCommand(kind, id, idempotencyKey, hash),
            _ => new() { Id = id, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken);
        if (change.Result is { } result)
        {
            return result;
        }

        var row = await store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
        return change.IsRepeated ? new(id, row.State, Duplicate: true) : throw CreateNotLiveException(row, changed);
    }

    public async Task<InstanceChange> RetryAsync(RetryCommand command, CancellationToken cancellationToken)
    {
        CommandChecks.Check(command, options.Limits.MaxInstanceSize);
        var id = command.InstanceId;
        ReadOnlySpan<string?> parts = command.Step is null ? [id.ToString()] : [id.ToString(), command.Step];
        var hash = RequestHash.Of(command.IdempotencyKey, command.Variables, parts);
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
                    Step = command.Step,
                    IdempotencyKey = command.IdempotencyKey,
                    RequestHash = hash,
                },
                cancellationToken);
            if (retry.Result is { } change)
            {
                return change;
            }

            var row = await store.FindInstanceAsync(id, cancellationToken) ?? throw new InstanceNotFoundException(id);
            if (retry.IsRepeated)
            {
                return new(id, row.State, Duplicate: true);
            }

            // If the instance failed after the lane had read it, the lane reads it again.
            var remedy = FindRetryObstacle(row);
            if (remedy is null && command.Step is { } step && FindStepObstacle(row, step) is { } refusal)
            {
                throw refusal;
            }

            if (remedy is not null || reads == CommandRouter.MaxMoves)
            {
                throw new InstanceStateException(
                    id, NameOf(row.State), "retried", remedy ?? "It was changed meanwhile: send the retry again.");
            }
        }
    }

    /// <summary>The name of a state as callers see it.</summary>
    public static string NameOf(InstanceState state) => JsonNamingPolicy.CamelCase.ConvertName(state.ToString());

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

    /// <remarks>Has no state machine, which would be allocated for every start.</remarks>
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

    private Task<InstanceStarted> StartAsync(
        WorkflowDefinition definition, StartCommand command, CancellationToken cancellationToken)
    {
        var hash = command.IdempotencyKey is null
            ? null
            : RequestHash.Of(command.IdempotencyKey, command.Input, command.Definition,
                command.Version?.ToString(CultureInfo.InvariantCulture), command.CorrelationKey);
        var id = router.NewInstanceId(command.CorrelationKey, command.IdempotencyKey);
        var started = router.ExecuteAsync(
            Partitioning.OfInstance(id), RemoteKind.Start, new StartLaneCommand(definition, command, id, hash),
            static start => ((StartLaneCommand)start).Describe(), cancellationToken);
        return hash is null && !router.HasNodes ? started : WithPresentStateAsync(started, cancellationToken);
    }

    /// <summary>Replaces the result of a repeated start by the present version and state of the instance.</summary>
    private async Task<InstanceStarted> WithPresentStateAsync(
        Task<InstanceStarted> starting, CancellationToken cancellationToken)
    {
        var started = await starting;
        if (!StartLaneCommand.IsRepeat(started))
        {
            return started;
        }

        var row = await store.FindInstanceAsync(started.Id, cancellationToken)
            ?? throw new InstanceNotFoundException(started.Id);
        return started with { Version = row.DefinitionVersion, State = row.State };
    }

    private static InstanceStateException CreateNotLiveException(InstanceRow row, string refused) =>
        new(row.Id, NameOf(row.State), refused, row.State == InstanceState.Failed
            ? $"POST /instances/{row.Id}/retry lets it go on where it stopped."
            : $"GET /instances/{row.Id} shows how it ended.");

    /// <returns>What the caller can do instead; null if a retry is possible.</returns>
    private string? FindRetryObstacle(InstanceRow row)
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
        if (body.ParentId is { } parent)
        {
            return $"It was called by instance {parent}, which has its error. If that has failed too, "
                + $"POST /instances/{parent}/retry calls anew.";
        }

        return definitions.Find(row.Definition, row.DefinitionVersion) is null
            ? $"Version {row.DefinitionVersion} of its definition '{row.Definition}' is not registered: "
                + "POST /definitions, then retry."
            : null;
    }

    /// <returns>What prevents a retry from continuing at a step; null if nothing does.</returns>
    private InvalidCommandException? FindStepObstacle(InstanceRow row, string step)
    {
        var body = InstanceBody.Parse(row.Body);
        var definition = definitions.Get(row.Definition, row.DefinitionVersion);
        return RetrySteps.FindObstacle(definition, body.Waits, body.Error, step);
    }

    private IReadOnlyList<string>? FindRetrySteps(InstanceRow row, InstanceBody body) =>
        row.State == InstanceState.Failed && body.ParentId is null
            && definitions.Find(row.Definition, row.DefinitionVersion) is { } definition
            ? RetrySteps.Find(definition, body.Waits, body.Error)
            : null;
}
