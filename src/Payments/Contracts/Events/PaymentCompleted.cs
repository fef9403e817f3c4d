namespace Payments.Contracts.Events;

/// <summary>The payment is over; its receipt follows.</summary>
public sealed record PaymentCompleted : PaymentEvent;
