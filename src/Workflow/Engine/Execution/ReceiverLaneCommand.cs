namespace Workflow.Engine.Execution;

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
