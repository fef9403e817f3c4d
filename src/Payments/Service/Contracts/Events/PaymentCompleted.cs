namespace Payments.Contracts.Events;

/// <summary>The payment is completed; its receipt follows.</summary>
public sealed record PaymentCompleted : PaymentEvent;
