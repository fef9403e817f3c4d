namespace Workflow.Engine.Signals;

/// <summary>A receiver has returned: consumes its signal.</summary>
internal sealed class ReceiverLaneCommand(Guid signalId, Action done) : LaneCommand
{
    public override Guid SubjectId => signalId;
    public override string Description => $"consumption of signal {signalId}";
    public override bool CanDeadLetter => true;

    public override void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Signals.DeadLetter(signalId, deadLetterId, reason, attempts);

    public override void Apply(LaneState lane) => lane.Signals.Consume(signalId);
    public override void Acknowledge() => done();
    public override void Fail(Exception error) => done();
}
