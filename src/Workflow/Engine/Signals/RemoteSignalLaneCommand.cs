namespace Workflow.Engine.Signals;

/// <summary>A signal accepted on another node. Its idempotency key was stored with its message.</summary>
internal sealed class RemoteSignalLaneCommand(SignalCommand request, Guid signalId) : LaneCommand
{
    public override string Description => $"signal '{request.Name}' {signalId} from another node";
    public override bool CanDeadLetter => true;

    public override void Apply(LaneState lane) => lane.Signals.AcceptRemote(request, signalId);

    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Signals.DeadLetter(request, signalId, deadLetterId, reason, attempts);
}
