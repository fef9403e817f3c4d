namespace Workflow.Engine.Instances;

internal sealed class StartLaneCommand(WorkflowDefinition definition, StartCommand request, Guid instanceId, string? requestHash)
    : LaneCommand<InstanceStarted>
{
    public override string? Key { get; } = KeyOf("start", request.IdempotencyKey);

    public override long Size => request.Input.Weight;
    public override string Description => $"start of '{definition.Name}' as {instanceId}";

    /// <summary>As another node is sent it.</summary>
    public RemoteCommand Describe() => new()
    {
        Id = instanceId,
        Definition = definition.Name,
        Version = definition.Version,
        Value = RemoteCommand.TextOf(request.Input),
        CorrelationKey = request.CorrelationKey,
        IdempotencyKey = request.IdempotencyKey,
        RequestHash = requestHash,
    };

    public override void Apply(LaneContext lane)
    {
        var instances = lane.Handler<InstanceHandler>();
        if (IsRepeated(lane, requestHash, known => Again(known.ResultId)))
        {
            return;
        }

        if (instances.Live.ContainsKey(instanceId))
        {
            // Another node has sent it twice, and its key, which is the request's own, was not looked up.
            Succeed(Again(instanceId));
            return;
        }

        var state = instances.Start(instanceId, definition, request);
        KeepKey(lane, requestHash, instanceId);
        Succeed(new(instanceId, definition.Name, definition.Version, state, Duplicate: false));
    }

    /// <summary>The state of a duplicate is that of the first result; the caller can read the instance.</summary>
    private InstanceStarted Again(Guid started) =>
        new(started, definition.Name, definition.Version, InstanceState.Running, Duplicate: requestHash != RemoteCommand.NodeHash);
}

/// <summary>
/// A definition is stored: raises its event, once for each version while idempotency keys are kept. The result is whether this did so.
/// </summary>
internal sealed class RegisteredLaneCommand(string definition, int version, string contentHash) : LaneCommand<bool>
{
    public override string Key { get; } = string.Create(CultureInfo.InvariantCulture, $"definition:{version}:{definition}");

    public override string Description => $"registration of version {version} of '{definition}'";

    public override void Apply(LaneContext lane)
    {
        if (lane.Keys.Find(Key) is not null)
        {
            Succeed(false);
            return;
        }

        lane.Raise(trace: null, (id, stamps) => new DefinitionRegistered
        {
            Id = id,
            Definition = definition,
            DefinitionVersion = version,
            ContentHash = contentHash,
            Timestamps = stamps,
        });
        lane.AddKey(Key, contentHash, Guid.Empty);
        Succeed(true);
    }
}

/// <summary>Cancels an instance. The result is false when it is not live here: the store has the reason.</summary>
internal sealed class CancelLaneCommand(Guid instanceId, string? idempotencyKey, string? requestHash) : LaneCommand<bool>
{
    public override string? Key { get; } = KeyOf("cancel", idempotencyKey);
    public override string Description => $"cancellation of instance {instanceId}";

    public override void Apply(LaneContext lane)
    {
        if (IsRepeated(lane, requestHash, _ => false))
        {
            return;
        }

        var isCancelled = lane.Handler<InstanceHandler>().Cancel(instanceId);
        if (isCancelled)
        {
            KeepKey(lane, requestHash, instanceId);
        }

        Succeed(isCancelled);
    }
}

/// <summary>Suspends an instance, or resumes it. The result is null when it is not live here: the store has the reason.</summary>
/// <param name="kind"><see cref="RemoteKind.Suspend"/> or <see cref="RemoteKind.Resume"/>.</param>
internal sealed class ChangeLaneCommand(string kind, Guid instanceId, string? idempotencyKey, string? requestHash)
    : LaneCommand<InstanceChange?>
{
    public override string? Key { get; } = KeyOf(kind, idempotencyKey);
    public override string Description => $"{(kind == RemoteKind.Suspend ? "suspension" : "resumption")} of instance {instanceId}";

    public override void Apply(LaneContext lane)
    {
        // Sent again, it is answered with the state that the store has by then: the empty id says so.
        if (IsRepeated(lane, requestHash, _ => new(Guid.Empty, InstanceState.Suspended, Duplicate: true)))
        {
            return;
        }

        var handler = lane.Handler<SuspensionHandler>();
        var change = kind == RemoteKind.Suspend ? handler.Suspend(instanceId) : handler.Resume(instanceId);
        if (change is not null)
        {
            KeepKey(lane, requestHash, instanceId);
        }

        Succeed(change);
    }
}

/// <summary>Lets a failed instance go on.</summary>
internal sealed class RetryLaneCommand(RetryCommand request, string? requestHash) : LaneCommand<InstanceRetry>
{
    public override string? Key { get; } = KeyOf("retry", request.IdempotencyKey);

    public override long Size => request.Variables.Weight;
    public override string Description => $"retry of instance {InstanceId}";
    public Guid InstanceId => request.InstanceId;

    /// <summary>The instance as committed, which the lane reads each time before it applies the command.</summary>
    public InstanceRow? Row { get; set; }

    public override void Apply(LaneContext lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsDuplicate: true)))
        {
            return;
        }

        var change = lane.Handler<RetryHandler>().Retry(Row, request.Variables);
        if (change is { Duplicate: false })
        {
            KeepKey(lane, requestHash, InstanceId);
        }

        Succeed(new(change, IsDuplicate: false));
    }
}

/// <param name="Change">Null when it could not be retried: the store has the reason, or it has failed since it was read.</param>
/// <param name="IsDuplicate">True when an earlier request with the same key has retried it.</param>
internal sealed record InstanceRetry(InstanceChange? Change, bool IsDuplicate);
