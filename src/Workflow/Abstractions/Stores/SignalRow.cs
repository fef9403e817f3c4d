namespace Workflow.Abstractions.Stores;

/// <summary>A signal that is accepted and not yet consumed.</summary>
public sealed record SignalRow
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required string Name { get; init; }

    /// <summary>Correlation key; null when sent to an instance.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>The instance it was sent to; null when sent by key.</summary>
    public Guid? InstanceId { get; init; }

    public string? Payload { get; init; }

    /// <summary>Order of acceptance within the lane.</summary>
    public required long Position { get; init; }

    public required DateTimeOffset AcceptedUtc { get; init; }

    /// <summary>When it is to be delivered (UTC); null for at once.</summary>
    public DateTimeOffset? DueUtc { get; init; }

    public required DateTimeOffset ExpiresUtc { get; init; }
}

/// <summary>The wait of an instance of another partition, kept where its correlation key lives.</summary>
/// <param name="Position">Order in which waits began; the oldest is served first.</param>
public sealed record SubscriptionRow(Guid WaitId, short Partition, string Name, string CorrelationKey, Guid InstanceId, long Position);
