using MassTransit;
using Payments.Contracts.Events;
using Payments.Service.Configuration;

namespace Payments.Service.Messaging;

/// <summary>
/// Publishes events of changes that are stored. One that cannot be published is not lost: <see cref="Hosting.Recovery"/> tells it again.
/// </summary>
internal sealed class EventTeller(PaymentSettings settings, ILogger<EventTeller> logger)
{
    public async Task TellAsync(IPublishEndpoint bus, PaymentEvent stored, CancellationToken cancellationToken)
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
            Log.NotTold(logger, e, stored.GetType().Name, stored.AggregateId);
        }
    }
}
