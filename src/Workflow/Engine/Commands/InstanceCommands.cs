using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Exceptions;
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
