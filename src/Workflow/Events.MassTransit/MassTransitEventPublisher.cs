using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>Publishes integration events on a MassTransit bus, one message a call, under their own message types.</summary>
/// <param name="bus">A bus that is started.</param>
/// <param name="window">Calls of one stream under way at a time, 1 or more.</param>
public sealed class MassTransitEventPublisher(IPublishEndpoint bus, int window = 1) : IEventPublisher
{
    /// <inheritdoc/>
    public int Window => window;

    /// <inheritdoc/>
    public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken) =>
        bus.Publish(integrationEvent, integrationEvent.GetType(), cancellationToken);
}
