namespace Payments.Contracts.Events;

/// <summary>The payment was created with the payment scheme.</summary>
public sealed record PaymentCreated : PaymentEvent;
