using MassTransit;
using Payments.Contracts.Events;

namespace Payments.Service.Messaging;

/// <summary>Publishes events of changes that are stored. One that cannot be published is not lost: <see cref="Hosting.Recovery"/> tells it again.</summary>
internal sealed class EventTeller(ILogger<EventTeller> logger)
{
    public async Task TellAsync(IPublishEndpoint bus, PaymentEvent stored, CancellationToken cancellationToken)
    {
        try
        {
            await bus.Publish(stored, stored.GetType(), cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // The change stands: neither the caller nor a retry can do more about it than the recovery will.
            Log.NotTold(logger, e, stored.GetType().Name, stored.AggregateId);
        }
    }
}
