namespace Payments.Contracts.Events;

/// <summary>
/// A payment has come to a status. Published after that is stored, at least once: a consumer whose work is done already does nothing.
/// </summary>
public abstract record PaymentEvent
{
    /// <summary>The payment.</summary>
    public required Guid PaymentId { get; init; }

    /// <summary>The same as a name in the event stream: <c>pay:{PaymentId}</c>.</summary>
    public string AggregateId => $"pay:{PaymentId}";

    /// <summary>What the client sent as <see cref="PaymentHeaders.CorrelationKey"/>; null where it sent nothing.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>In the currency's smallest unit.</summary>
    public required long Amount { get; init; }

    /// <summary>ISO 4217 code.</summary>
    public required string Currency { get; init; }

    /// <summary>When the service had what led to this event, had stored it and told it.</summary>
    public required EventStamps Stamps { get; init; }
}
