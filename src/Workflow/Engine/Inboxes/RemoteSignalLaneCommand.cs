using Workflow.Abstractions;
using Workflow.Engine.Execution;

namespace Workflow.Engine.Inboxes;

/// <summary>A signal that was accepted at another node. Its idempotency key was stored with its message.</summary>
internal sealed class RemoteSignalLaneCommand(SignalCommand request, Guid signalId) : LaneCommand
{
    public override string Description => $"signal '{request.Name}' {signalId} from another node";

    public override bool CanBePutAside => true;

    public override void Apply(LaneExecutor executor) => executor.TakeSignal(request, signalId);

    public override void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts) =>
        executor.PutSignalAside(request, signalId, letterId, reason, attempts);
}
