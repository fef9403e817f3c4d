using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>Publishes integration events on a MassTransit bus, one message a call, under their own message types.</summary>
public sealed class MassTransitEventPublisher(IPublishEndpoint bus) : IEventPublisher
{
    /// <inheritdoc/>
    public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken) =>
        bus.Publish(integrationEvent, integrationEvent.GetType(), cancellationToken);
}
