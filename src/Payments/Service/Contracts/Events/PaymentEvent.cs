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
