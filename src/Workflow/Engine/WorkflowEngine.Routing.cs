using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Engine.Commands;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Instances;
using Workflow.Engine.Lanes;

namespace Workflow.Engine;

/// <content>Routing of commands to their lane, here or on another node.</content>
public sealed partial class WorkflowEngine
{
    private const int MaxMoves = 8;

    /// <summary>
    /// Without a correlation key any partition will do: takes one of a lane that runs here, so that the start needs no other node. The
    /// idempotency key decides which, so that a request sent twice at once meets itself in one lane.
    /// </summary>
    private Guid NewInstanceId(string? correlationKey, string? idempotencyKey)
    {
        var id = Partitioning.NewInstanceId(_services.NewId(), correlationKey ?? idempotencyKey);
        return correlationKey is null && _slots is { } slots && Partitioning.OfInstance(id) is var partition && slots.Of(partition) is null
            && slots.AnyPartition(idempotencyKey is null ? id.GetHashCode() & int.MaxValue : partition) is { } here
            ? Partitioning.NewId(id, here)
            : id;
    }

    /// <summary>Executes a command in the lane of the partition, here or on another node.</summary>
    private Task<T> ExecuteAsync<T>(
        short partition, string kind, Func<LaneCommand<T>> make, Func<RemoteCommand> describe, CancellationToken cancellationToken) =>
        ExecuteAsync(
            partition, make, token => _node!.ExecuteRemotelyAsync<T>(partition, kind, describe(), token), cancellationToken);

    /// <param name="elsewhere">Executes it where the lane does not run here.</param>
    private async Task<T> ExecuteAsync<T>(
        short partition, Func<LaneCommand<T>> make, Func<CancellationToken, Task<T>> elsewhere, CancellationToken cancellationToken)
    {
        for (var moves = 1; ; moves++)
        {
            var command = make();
            command.Trace = Tracing.Caller;
            if (_slots is null || Volatile.Read(ref _disposed) != 0)
            {
                throw new EngineStoppedException(_slots is null ? "the command (the engine was not started)" : command.Description);
            }

            if (_slots.Of(partition) is not { } lane)
            {
                return await elsewhere(cancellationToken);
            }

            try
            {
                lane.Post(command);
                return await command.Completion.WaitAsync(cancellationToken);
            }
            catch (LaneMovedException) when (moves < MaxMoves)
            {
                // Nothing of it was committed: it follows the lane.
            }
        }
    }

    /// <summary>
    /// Sends a signal to a lane of another node. It is accepted once its message is durable; the caller does not wait for the delivery. The
    /// store is asked first whether the instance is live; if it ends in between, the signal expires.
    /// </summary>
    private async Task<SignalAccepted?> SendSignalAsync(
        short partition, SignalCommand command, Guid id, string? hash, CancellationToken cancellationToken)
    {
        if (command.InstanceId is { } target
            && await _store.FindInstanceAsync(target, cancellationToken) is not
                { State: InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended })
        {
            throw await ExplainAsync(command, cancellationToken);
        }

        var key = command.IdempotencyKey is null
            ? null
            : new IdempotencyRow("signal:" + command.IdempotencyKey, hash!, id, _time.GetUtcNow());
        var remote = new RemoteCommand
        {
            Name = command.Name,
            CorrelationKey = command.CorrelationKey,
            Id = command.InstanceId,
            Value = RemoteCommand.TextOf(command.Payload),
            DueAt = command.DueAt,
        };
        var stored = await _node!.SendAsync(id, partition, RemoteKind.Signal, remote, key)
            .WaitAsync(cancellationToken);
        if (stored is not null && stored.RequestHash != hash)
        {
            throw new IdempotencyConflictException(command.IdempotencyKey!);
        }

        return stored is null || stored.ResultId == id
            ? new(id, Delivered: false, Duplicate: false)
            : new(stored.ResultId, Delivered: false, Duplicate: true);
    }
}
