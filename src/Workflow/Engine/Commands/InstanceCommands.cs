using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine.Execution;

namespace Workflow.Engine.Commands;

internal sealed class StartLaneCommand(WorkflowDefinition definition, StartCommand request, Guid instanceId, string? requestHash)
    : LaneCommand<InstanceStarted>
{
    public override string? Key { get; } = request.IdempotencyKey is null ? null : "start:" + request.IdempotencyKey;

    public override long Size => request.Input.Weight;
    public override string Description => $"start of '{definition.Name}' as {instanceId}";

    public override void Apply(LaneExecutor executor)
    {
        if (Key is not null && executor.FindKey(Key) is { } known)
        {
            if (known.RequestHash != requestHash)
            {
                Refuse(new IdempotencyConflictException(request.IdempotencyKey!));
                return;
            }

            // The state of a duplicate is that of the first result; the caller can read the instance.
            Succeed(new(known.ResultId, definition.Name, definition.Version, InstanceState.Running, Duplicate: true));
            return;
        }

        var state = executor.Start(instanceId, definition, request);
        if (Key is not null)
        {
            executor.AddKey(Key, requestHash!, instanceId);
        }

        Succeed(new(instanceId, definition.Name, definition.Version, state, Duplicate: false));
    }
}

/// <summary>
/// A definition is stored: raises its event, once for each version while idempotency keys are kept. The result is whether this did so.
/// </summary>
internal sealed class RegisteredLaneCommand(string definition, int version, string contentHash) : LaneCommand<bool>
{
    public override string Key { get; } = string.Create(CultureInfo.InvariantCulture, $"definition:{version}:{definition}");

    public override string Description => $"registration of version {version} of '{definition}'";

    public override void Apply(LaneExecutor executor)
    {
        if (executor.FindKey(Key) is not null)
        {
            Succeed(false);
            return;
        }

        executor.Raise(trace: null, (id, stamps) => new DefinitionRegistered
        {
            Id = id,
            Definition = definition,
            DefinitionVersion = version,
            ContentHash = contentHash,
            Timestamps = stamps,
        });
        executor.AddKey(Key, contentHash, Guid.Empty);
        Succeed(true);
    }
}

/// <summary>Cancels an instance. The result is false when it is not live here: the store has the reason.</summary>
internal sealed class CancelLaneCommand(Guid instanceId) : LaneCommand<bool>
{
    public override string Description => $"cancellation of instance {instanceId}";

    public override void Apply(LaneExecutor executor) => Succeed(executor.Cancel(instanceId));
}

/// <summary>Suspends an instance. The result is null when it is not live here: the store has the reason.</summary>
internal sealed class SuspendLaneCommand(Guid instanceId) : LaneCommand<InstanceChange?>
{
    public override string Description => $"suspension of instance {instanceId}";

    public override void Apply(LaneExecutor executor) => Succeed(executor.Suspend(instanceId));
}

/// <summary>Resumes a suspended instance. The result is null when it is not live here: the store has the reason.</summary>
internal sealed class ResumeLaneCommand(Guid instanceId) : LaneCommand<InstanceChange?>
{
    public override string Description => $"resumption of instance {instanceId}";

    public override void Apply(LaneExecutor executor) => Succeed(executor.Resume(instanceId));
}

/// <summary>Lets a failed instance go on.</summary>
internal sealed class RetryLaneCommand(RetryCommand request, string? requestHash) : LaneCommand<InstanceRetry>
{
    public override string? Key { get; } = request.IdempotencyKey is null ? null : "retry:" + request.IdempotencyKey;

    public override long Size => request.Variables.Weight;
    public override string Description => $"retry of instance {InstanceId}";
    public Guid InstanceId => request.InstanceId;

    /// <summary>The instance as committed, which the lane reads each time before it applies the command.</summary>
    public InstanceRow? Row { get; set; }

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

        var change = executor.Retry(Row, request.Variables);
        if (Key is not null && change is { Duplicate: false })
        {
            executor.AddKey(Key, requestHash!, InstanceId);
        }

        Succeed(new(change, IsDuplicate: false));
    }
}

/// <param name="Change">Null when it could not be retried: the store has the reason, or it has failed since it was read.</param>
/// <param name="IsDuplicate">True when an earlier request with the same key has retried it.</param>
internal sealed record InstanceRetry(InstanceChange? Change, bool IsDuplicate);
