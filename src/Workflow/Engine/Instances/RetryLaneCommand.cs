namespace Workflow.Engine.Instances;

/// <summary>Retries a failed instance.</summary>
internal sealed class RetryLaneCommand(RetryCommand request, string? requestHash) : LaneCommand<InstanceRetry>
{
    public override string? Key { get; } = KeyOf("retry", request.IdempotencyKey);

    public override long Size => request.Variables.Weight;
    public override string Description => $"retry of instance {InstanceId}";
    public Guid InstanceId => request.InstanceId;

    /// <summary>The committed row of the instance. The lane reads it each time before it applies the command.</summary>
    public InstanceRow? Row { get; set; }

    public override void Apply(LaneState lane)
    {
        if (IsRepeated(lane, requestHash, _ => new(null, IsDuplicate: true)))
        {
            return;
        }

        var change = lane.Retries.Retry(Row, request.Variables);
        if (change is { Duplicate: false })
        {
            StoreKey(lane, requestHash, InstanceId);
        }

        Succeed(new(change, IsDuplicate: false));
    }
}

/// <param name="Change">Null if the instance could not be retried: the store has the reason, or the instance failed
/// after it was read.</param>
/// <param name="IsDuplicate">True if an earlier request with the same key has retried the instance.</param>
internal sealed record InstanceRetry(InstanceChange? Change, bool IsDuplicate);
