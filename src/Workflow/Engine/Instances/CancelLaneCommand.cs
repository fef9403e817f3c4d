namespace Workflow.Engine.Instances;

/// <summary>
/// Cancels an instance. The result is false if the instance is not live here; the store has the reason.
/// </summary>
internal sealed class CancelLaneCommand(
    Guid instanceId, string? idempotencyKey, string? requestHash) : LaneCommand<bool>
{
    public override string? Key { get; } = KeyOf("cancel", idempotencyKey);
    public override string Description => $"cancellation of instance {instanceId}";

    public override void NoteNeeds(LaneState lane) => lane.Dormancy.TryNeed(instanceId);

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => false))
        {
            return;
        }

        var isCancelled = lane.Instances.Cancel(instanceId);
        if (isCancelled)
        {
            StoreKey(lane, requestHash, instanceId);
        }

        Succeed(isCancelled);
    }
}
