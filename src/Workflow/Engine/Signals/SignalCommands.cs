using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Signals;
using Workflow.Engine.Commands;

namespace Workflow.Engine.Signals;

/// <summary>A signal by key or to an instance. The result is null when the instance is not live here: the store has the reason.</summary>
internal sealed class SignalLaneCommand(SignalCommand request, Guid signalId, string? requestHash) : LaneCommand<SignalAccepted?>
{
    public override string? Key { get; } = KeyOf("signal", request.IdempotencyKey);

    public override long Size => request.Payload.Weight;
    public override string Description => request.InstanceId is { } instance
        ? $"signal '{request.Name}' to instance {instance}"
        : $"signal '{request.Name}' for key '{request.CorrelationKey}'";

    public override bool CanDeadLetter => true;

    /// <summary>It is accepted all the same: its sender can do nothing more.</summary>
    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts)
    {
        lane.Handler<SignalHandler>().DeadLetter(request, signalId, deadLetterId, reason, attempts);
        KeepKey(lane, requestHash, signalId);
        Succeed(new(signalId, Delivered: false, Duplicate: false, deadLetterId));
    }

    public override void Apply(LaneContext lane)
    {
        if (IsRepeated(lane, requestHash, known => new(known.ResultId, Delivered: false, Duplicate: true)))
        {
            return;
        }

        var signals = lane.Handler<SignalHandler>();
        if (signals.WhyFull(request) is { } full)
        {
            Refuse(full);
            return;
        }

        if (signals.Accept(request, signalId) is not { } delivered)
        {
            Succeed(null);
            return;
        }

        KeepKey(lane, requestHash, signalId);
        Succeed(new(signalId, delivered, Duplicate: false));
    }
}

/// <summary>A signal accepted on another node. Its idempotency key was stored with its message.</summary>
internal sealed class RemoteSignalLaneCommand(SignalCommand request, Guid signalId) : LaneCommand
{
    public override string Description => $"signal '{request.Name}' {signalId} from another node";
    public override bool CanDeadLetter => true;

    public override void Apply(LaneContext lane) => lane.Handler<SignalHandler>().AcceptRemote(request, signalId);

    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Handler<SignalHandler>().DeadLetter(request, signalId, deadLetterId, reason, attempts);
}

/// <summary>A receiver has returned: its signal is consumed.</summary>
internal sealed class ReceiverLaneCommand(Guid signalId, Action done) : LaneCommand
{
    public override Guid SubjectId => signalId;
    public override string Description => $"consumption of signal {signalId}";
    public override bool CanDeadLetter => true;

    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Handler<SignalHandler>().DeadLetter(signalId, deadLetterId, reason, attempts);

    public override void Apply(LaneContext lane) => lane.Handler<SignalHandler>().Consume(signalId);
    public override void Acknowledge() => done();
    public override void Fail(Exception error) => done();
}
