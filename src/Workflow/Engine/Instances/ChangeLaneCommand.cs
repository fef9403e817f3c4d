namespace Workflow.Engine.Instances;

/// <summary>
/// Suspends or resumes an instance. The result is null if the instance is not live here; the store has the reason.
/// </summary>
/// <param name="kind"><see cref="RemoteKind.Suspend"/> or <see cref="RemoteKind.Resume"/>.</param>
internal sealed class ChangeLaneCommand(string kind, Guid instanceId, string? idempotencyKey, string? requestHash)
    : LaneCommand<InstanceChange?>
{
    public override string? Key { get; } = KeyOf(kind, idempotencyKey);
    public override string Description =>
        $"{(kind == RemoteKind.Suspend ? "suspension" : "resumption")} of instance {instanceId}";

    /// <summary>Whether a result stands for an earlier request: the present state is in the store.</summary>
    public static bool IsRepeat(InstanceChange change) => change.Id == Guid.Empty;

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(Guid.Empty, InstanceState.Suspended, Duplicate: true)))
        {
            return;
        }

        var handler = lane.Suspensions;
        var change = kind == RemoteKind.Suspend ? handler.Suspend(instanceId) : handler.Resume(instanceId);
        if (change is not null)
        {
            StoreKey(lane, requestHash, instanceId);
        }

        Succeed(change);
    }
}
