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
                new PaymentInitiated { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            PaymentStatus.Created =>
                new PaymentCreated { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            PaymentStatus.Settled =>
                new PaymentSettled { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            PaymentStatus.Completed =>
                new PaymentCompleted { PaymentId = id, Amount = amount, Currency = currency, CorrelationKey = key, Stamps = stamps },
            _ => throw new InvalidOperationException($"Payment {id} has status {payment.Status}, which no event reports."),
        };
    }
}

/// <summary>Publishes events of stored changes; <see cref="Hosting.Recovery"/> publishes again what could not be sent.</summary>
internal sealed class EventPublisher(PaymentSettings settings, ILogger<EventPublisher> logger)
{
    public async Task PublishAsync(IPublishEndpoint bus, PaymentEvent stored, CancellationToken cancellationToken)
    {
        using var abandoned = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            // A confirmation that was on its way when the channel closed never comes, and MassTransit waits for it.
            await bus.Publish(stored, stored.GetType(), abandoned.Token).WaitAsync(settings.BrokerPatience, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // The change stands: neither the caller nor a retry can do more about it than the recovery will.
            await abandoned.CancelAsync();
            Log.NotPublished(logger, e, stored.GetType().Name, stored.AggregateId);
        }
    }
}

/// <summary>Logs messages that a consumer gave up, and endpoints that failed.</summary>
internal sealed class FailureLog(ILogger<FailureLog> logger) : IReceiveObserver
{
    public Task PreReceive(ReceiveContext context) => Task.CompletedTask;
    public Task PostReceive(ReceiveContext context) => Task.CompletedTask;

    public Task PostConsume<T>(ConsumeContext<T> context, TimeSpan duration, string consumerType)
        where T : class => Task.CompletedTask;

    public Task ConsumeFault<T>(ConsumeContext<T> context, TimeSpan duration, string consumerType, Exception exception)
        where T : class
    {
        Log.ConsumerGaveUp(logger, exception, consumerType, typeof(T).Name, context.MessageId);
        return Task.CompletedTask;
    }

    public Task ReceiveFault(ReceiveContext context, Exception exception)
    {
        Log.MessageUnreadable(logger, exception, context.InputAddress);
        return Task.CompletedTask;
    }
}
