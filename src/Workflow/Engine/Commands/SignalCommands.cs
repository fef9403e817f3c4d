using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Signals;
using Workflow.Engine.Execution;

namespace Workflow.Engine.Commands;

/// <summary>A signal by key or to an instance. The result is null when the instance is not live here: the store tells why.</summary>
internal sealed class SignalLaneCommand(SignalCommand request, Guid signalId, string? requestHash) : LaneCommand<SignalAccepted?>
{
    public override string? Key { get; } = request.IdempotencyKey is null ? null : "signal:" + request.IdempotencyKey;

    public override string Description => request.InstanceId is { } instance
        ? $"signal '{request.Name}' to instance {instance}"
        : $"signal '{request.Name}' for key '{request.CorrelationKey}'";

    public override bool CanBePutAside => true;

    /// <summary>It is accepted all the same: what its sender could do is done.</summary>
    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts)
    {
        executor.PutSignalAside(request, signalId, letterId, reason, attempts);
        if (Key is not null)
        {
            executor.AddKey(Key, requestHash!, signalId);
        }

        Succeed(new(signalId, Delivered: false, Duplicate: false, letterId));
    }

    public override void Apply(LaneExecutor executor)
    {
        if (Key is not null && executor.FindKey(Key) is { } known)
        {
            if (known.RequestHash != requestHash)
            {
                Refuse(new IdempotencyConflictException(request.IdempotencyKey!));
                return;
            }

            Succeed(new(known.ResultId, Delivered: false, Duplicate: true));
            return;
        }

        if (executor.Signal(request, signalId) is not { } delivered)
        {
            Succeed(null);
            return;
        }

        if (Key is not null)
        {
            executor.AddKey(Key, requestHash!, signalId);
        }

        Succeed(new(signalId, delivered, Duplicate: false));
    }
}

/// <summary>A signal that was accepted at another node. Its idempotency key was stored with its message.</summary>
internal sealed class RemoteSignalLaneCommand(SignalCommand request, Guid signalId) : LaneCommand
{
    public override string Description => $"signal '{request.Name}' {signalId} from another node";

    public override bool CanBePutAside => true;

    public override void Apply(LaneExecutor executor) => executor.TakeSignal(request, signalId);

    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts) =>
        executor.PutSignalAside(request, signalId, letterId, reason, attempts);
}

/// <summary>A receiver has taken a signal: it is consumed now.</summary>
internal sealed class ReceiverLaneCommand(Guid signalId, Action done) : LaneCommand
{
    public override Guid SubjectId => signalId;

    public override string Description => $"consumption of signal {signalId}";

    public override bool CanBePutAside => true;

    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts) => executor.PutSignalAside(signalId, letterId, reason, attempts);

    public override void Apply(LaneExecutor executor) => executor.Consume(signalId);

    public override void Acknowledge() => done();

    public override void Fail(Exception error) => done();
}
