using Payments.Contracts.Events;

namespace Payments.Service.Messaging;

/// <summary>
/// Publishes events of stored changes; <see cref="Hosting.Recovery"/> publishes again what could not be sent.
/// </summary>
internal sealed class EventPublisher(PaymentSettings settings, ILogger<EventPublisher> logger)
{
    public async Task PublishAsync(IPublishEndpoint bus, PaymentEvent stored, CancellationToken cancellationToken)
    {
        using var abandoned = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            // A confirmation that was on its way when the channel closed never comes, and MassTransit waits for it.
            await bus.Publish(stored, stored.GetType(), abandoned.Token)
                .WaitAsync(settings.BrokerPatience, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // The change stands: neither the caller nor a retry can do more about it than the recovery will.
            await abandoned.CancelAsync();
            Log.NotPublished(logger, e, stored.GetType().Name, stored.AggregateId);
        }
    }
}
