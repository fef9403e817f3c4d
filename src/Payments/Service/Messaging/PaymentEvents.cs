using Payments.Contracts.Events;

namespace Payments.Service.Messaging;

/// <summary>The event that reports a payment's status.</summary>
internal static class PaymentEvents
{
    /// <summary>The event, without ticks: it is published again, and they may be of another boot.</summary>
    public static PaymentEvent Of(Payment payment) => Of(payment, null, null, null);

    /// <summary>The event with the monotonic ticks of its making.</summary>
    public static PaymentEvent Of(Payment payment, long? acceptedTicks, long? executedTicks, long? committedTicks)
    {
        var stamps = new EventStamps
        {
            ChangedUtc = payment.ChangedUtc,
            AcceptedTicks = acceptedTicks,
            ExecutedTicks = executedTicks,
            CommittedTicks = committedTicks,
            BootId = BootId.Current,
        };
        var (id, amount, currency, key) = (payment.Id, payment.Amount, payment.Currency, payment.CorrelationKey);
        return payment.Status switch
        {
            PaymentStatus.Initiated =>
                new PaymentInitiated
                    { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            PaymentStatus.Created =>
                new PaymentCreated
                    { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            PaymentStatus.Settled =>
                new PaymentSettled
                    { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            PaymentStatus.Completed =>
                new PaymentCompleted
                    { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            _ => throw new InvalidOperationException($"Payment {id} has status "
                + $"{payment.Status}, which no event reports."),
        };
    }
}
