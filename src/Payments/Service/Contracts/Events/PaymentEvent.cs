namespace Payments.Contracts.Events;

/// <summary>
/// A payment has reached a status. Published at least once, after the change is stored; consumers must ignore
/// duplicates.
/// </summary>
public abstract record PaymentEvent
{
    public required Guid PaymentId { get; init; }

    /// <summary>The same as a name in the event stream: <c>pay:{PaymentId}</c>.</summary>
    public string AggregateId => $"pay:{PaymentId}";

    /// <summary>
    /// The header <see cref="PaymentHeaders.CorrelationKey"/> of the client's request; null if it was missing.
    /// </summary>
    public string? CorrelationKey { get; init; }

    /// <summary>In the currency's smallest unit.</summary>
    public required long Amount { get; init; }

    /// <summary>ISO 4217 code.</summary>
    public required string Currency { get; init; }

    /// <summary>When the service had what led to this event, had stored it and published it.</summary>
    public required EventStamps Stamps { get; init; }
}

/// <summary>
/// The service's own timestamps of an event. Ticks are monotonic
/// (<see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>) and may be compared with those of another process only
/// where <see cref="BootId"/> is the same. They are null in an event that is published again.
/// </summary>
public sealed record EventStamps
{
    public required DateTimeOffset ChangedUtc { get; init; }

    /// <summary>The request, or the event before this one, was in the service's hands.</summary>
    public long? AcceptedTicks { get; init; }

    /// <summary>
    /// The work that the service does for it was done, just before it was stored, a consumer's delay included.
    /// </summary>
    public long? ExecutedTicks { get; init; }

    /// <summary>The change was stored.</summary>
    public long? CommittedTicks { get; init; }

    /// <summary>The id of the machine's boot (Linux), or an id of this process.</summary>
    public required string BootId { get; init; }
}
