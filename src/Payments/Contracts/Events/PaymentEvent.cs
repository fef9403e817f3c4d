namespace Payments.Contracts.Events;

/// <summary>A payment has come to a status. Published at least once, after it is stored; a consumer repeats no work.</summary>
public abstract record PaymentEvent
{
    public required Guid PaymentId { get; init; }

    /// <summary>The same as a name in the event stream: <c>pay:{PaymentId}</c>.</summary>
    public string AggregateId => $"pay:{PaymentId}";

    /// <summary>What the client sent as <see cref="PaymentHeaders.CorrelationKey"/>; null where it sent nothing.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>In the currency's smallest unit.</summary>
    public required long Amount { get; init; }

    /// <summary>ISO 4217 code.</summary>
    public required string Currency { get; init; }

    /// <summary>When the service had what led to this event, had stored it and published it.</summary>
    public required EventStamps Stamps { get; init; }
}

/// <summary>
/// The service's own timestamps of an event. Ticks are monotonic (<see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>) and may be
/// compared with those of another process only where <see cref="BootId"/> is the same. They are null in an event that is published again.
/// </summary>
public sealed record EventStamps
{
    public required DateTimeOffset ChangedUtc { get; init; }

    /// <summary>The request, or the event before this one, was in the service's hands.</summary>
    public long? AcceptedTicks { get; init; }

    /// <summary>The work that the service does for it was done, just before it was stored, a consumer's delay included.</summary>
    public long? ExecutedTicks { get; init; }

    /// <summary>The change was stored.</summary>
    public long? CommittedTicks { get; init; }

    /// <summary>The machine's boot (Linux), or one that no other process has.</summary>
    public required string BootId { get; init; }
}

/// <summary>The payment was accepted and stored.</summary>
public sealed record PaymentInitiated : PaymentEvent;

/// <summary>The payment was created with the payment scheme.</summary>
public sealed record PaymentCreated : PaymentEvent;

public sealed record PaymentSettled : PaymentEvent;

/// <summary>The payment is over; its receipt follows.</summary>
public sealed record PaymentCompleted : PaymentEvent;
