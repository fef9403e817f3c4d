namespace Payments.Contracts.Events;

/// <summary>The payment was accepted and stored.</summary>
public sealed record PaymentInitiated : PaymentEvent;
