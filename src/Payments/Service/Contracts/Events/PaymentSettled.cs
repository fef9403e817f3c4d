namespace Payments.Contracts.Events;

public sealed record PaymentSettled : PaymentEvent;
