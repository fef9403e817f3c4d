namespace Payments.Contracts.Events;

/// <summary>The payment was settled.</summary>
public sealed record PaymentSettled : PaymentEvent;
