using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>Publishes integration events on a MassTransit bus, one message a call, under their own message types.</summary>
/// <param name="bus">A bus that is started.</param>
/// <param name="window">Calls of one stream under way at a time, 1 or more.</param>
/// <param name="patience">
/// How long a call may take; without end when omitted. Over a broker it must end: a confirmation that was on its way when the channel closed never comes, and MassTransit waits for it.
/// </param>
public sealed class MassTransitEventPublisher(IPublishEndpoint bus, int window = 1, TimeSpan? patience = null) : IEventPublisher
{
    public int Window => window;

    /// <exception cref="EventTransportException">The call took too long. The event may have arrived nevertheless: it is published again, and its id tells.</exception>
    public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken) =>
        patience is { } limit ? PublishAsync(integrationEvent, limit, cancellationToken) : SendAsync(integrationEvent, cancellationToken);

    private Task SendAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken) =>
        bus.Publish(integrationEvent, integrationEvent.GetType(), cancellationToken);

    private async Task PublishAsync(IntegrationEvent integrationEvent, TimeSpan limit, CancellationToken cancellationToken)
    {
        using var abandoned = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            await SendAsync(integrationEvent, abandoned.Token).WaitAsync(limit, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            await abandoned.CancelAsync().ConfigureAwait(false);
            throw new EventTransportException($"The transport has not confirmed event {integrationEvent.Id} within {limit.TotalSeconds} s.", e);
        }
    }
}
