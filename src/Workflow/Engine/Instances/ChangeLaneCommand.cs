namespace Workflow.Engine.Instances;

/// <summary>Suspends or resumes an instance. There is no result if the instance is not live here.</summary>
/// <param name="kind"><see cref="RemoteKind.Suspend"/> or <see cref="RemoteKind.Resume"/>.</param>
internal sealed class ChangeLaneCommand(string kind, Guid instanceId, string? idempotencyKey, string? requestHash)
    : LaneCommand<KeyedResult<InstanceChange>>
{
    public override string? Key { get; } = KeyOf(kind, idempotencyKey);
    public override string Description =>
        $"{(kind == RemoteKind.Suspend ? "suspension" : "resumption")} of instance {instanceId}";

    public override void NoteNeeds(LaneState lane) => lane.Dormancy.TryNeed(instanceId);

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsRepeated: true)))
        {
            return;
        }

        var handler = lane.Suspensions;
        var change = kind == RemoteKind.Suspend ? handler.Suspend(instanceId) : handler.Resume(instanceId);
        if (change is not null)
        {
            StoreKey(lane, requestHash, instanceId);
        }

        Succeed(new(change, IsRepeated: false));
    }
}
