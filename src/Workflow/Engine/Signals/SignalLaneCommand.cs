using Workflow.Contracts.Signals;

namespace Workflow.Engine.Signals;

/// <summary>
/// Sends a signal by key or to an instance. The result is null if the instance is not live here; the store has the
/// reason.
/// </summary>
internal sealed class SignalLaneCommand(SignalCommand request, Guid signalId, string? requestHash)
    : LaneCommand<SignalAccepted?>
{
    public SignalCommand Request => request;
    public Guid SignalId => signalId;
    public string? Hash => requestHash;
    public override string? Key { get; } = KeyOf("signal", request.IdempotencyKey);

    public override long Size => request.Payload.Weight;
    public override string Description => request.InstanceId is { } instance
        ? $"signal '{request.Name}' to instance {instance}"
        : $"signal '{request.Name}' for key '{request.CorrelationKey}'";

    public override bool CanDeadLetter => true;

    /// <summary>The command as it is sent to another node.</summary>
    public RemoteCommand Describe() => new()
    {
        Name = request.Name,
        CorrelationKey = request.CorrelationKey,
        Id = request.InstanceId,
        Value = RemoteCommand.TextOf(request.Payload),
        DueAt = request.DueAt,
        IdempotencyKey = request.IdempotencyKey,
        RequestHash = requestHash,
    };

    public override void NoteNeeds(LaneState lane)
    {
        if (request.InstanceId is { } instance)
        {
            lane.Dormancy.TryNeed(instance);
        }
        else
        {
            lane.Dormancy.TryNeedSlot(request.Name, request.CorrelationKey!);
        }
    }

    /// <summary>The signal is accepted nevertheless, because its sender can do nothing about the error.</summary>
    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts)
    {
        lane.Signals.DeadLetter(request, signalId, deadLetterId, reason, attempts);
        StoreKey(lane, requestHash, signalId);
        Succeed(new(signalId, Delivered: false, Duplicate: false, deadLetterId, Kept: true));
    }

    public override void Apply(LaneState lane)
    {
        if (Key is not null && IsRepeated(lane))
        {
            return;
        }

        var signals = lane.Signals;
        if (signals.CheckRoom(request) is { } full)
        {
            Refuse(full);
            return;
        }

        if (signals.Accept(request, signalId) is not { } delivered)
        {
            Succeed(null);
            return;
        }

        StoreKey(lane, requestHash, signalId);
        Succeed(delivered ? new(signalId, Delivered: true, Duplicate: false) : signals.CreateKeptReply(signalId));
    }

    // A separate method: the closure is an object that a signal without a key does not need.
    private bool IsRepeated(LaneState lane)
    {
        var signals = lane.Signals;
        return IsRepeated(
            lane, requestHash, known => signals.CreateRepeatedReply(known.ResultId) with
            {
                Duplicate = requestHash != RemoteCommand.NodeHash,
            });
    }
}
