namespace Workflow.Engine.Instances;

internal sealed class StartLaneCommand(
    WorkflowDefinition definition, StartCommand request, Guid instanceId, string? requestHash)
    : LaneCommand<InstanceStarted>
{
    private const int VersionOfRepeat = 0;

    public override string? Key { get; } = KeyOf("start", request.IdempotencyKey);

    public override long Size => request.Input.Weight;
    public override string Description => $"start of '{definition.Name}' as {instanceId}";

    /// <summary>
    /// Whether a result stands for an earlier start, whose present version and state only the store has.
    /// </summary>
    public static bool IsRepeat(InstanceStarted started) => started.Version == VersionOfRepeat;

    /// <summary>The command as it is sent to another node.</summary>
    public RemoteCommand Describe() => new()
    {
        Id = instanceId,
        Definition = definition.Name,
        Version = definition.Version,
        Value = RemoteCommand.TextOf(request.Input),
        CorrelationKey = request.CorrelationKey,
        IdempotencyKey = request.IdempotencyKey,
        RequestHash = requestHash,
    };

    public override void NoteNeeds(LaneState lane) =>
        lane.Dormancy.TryNeedPartition(Partitioning.OfInstance(instanceId));

    public override void Apply(LaneState lane)
    {
        var instances = lane.Instances;
        if (IsRepeated(lane, requestHash, known => Repeat(known.ResultId)))
        {
            return;
        }

        if (lane.Dormancy.FindResident(instanceId) is not null)
        {
            // Another node sent the request twice. The key belongs to the request itself and was not looked up. If the
            // instance is no longer in memory, the commit refuses the key.
            Succeed(Repeat(instanceId));
            return;
        }

        var state = instances.Start(instanceId, definition, request);
        StoreKey(lane, requestHash, instanceId);
        Succeed(new(instanceId, definition.Name, definition.Version, state, Duplicate: false));
    }

    private InstanceStarted Repeat(Guid started) => new(
        started, definition.Name, VersionOfRepeat, InstanceState.Running,
        Duplicate: requestHash != RemoteCommand.NodeHash);
}
