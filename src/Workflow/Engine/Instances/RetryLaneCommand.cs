namespace Workflow.Engine.Instances;

/// <summary>
/// Retries a failed instance. There is no result if the instance is in another state, or failed after its row was read.
/// </summary>
internal sealed class RetryLaneCommand(RetryCommand request, string? requestHash)
    : LaneCommand<KeyedResult<InstanceChange>>
{
    public override string? Key { get; } = KeyOf("retry", request.IdempotencyKey);

    public override long Size => request.Variables.Weight;
    public override string Description => $"retry of instance {InstanceId}";
    public Guid InstanceId => request.InstanceId;

    /// <summary>The committed row of the instance. The lane reads it each time before it applies the command.</summary>
    public InstanceRow? Row { get; set; }

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsRepeated: true)))
        {
            return;
        }

        var change = lane.Retries.Retry(Row, request);
        if (change is { Duplicate: false })
        {
            StoreKey(lane, requestHash, InstanceId);
        }

        Succeed(new(change, IsRepeated: false));
    }
}
