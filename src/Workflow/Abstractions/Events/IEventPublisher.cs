using Workflow.Contracts.Events;

namespace Workflow.Abstractions.Events;

/// <summary>Carries integration events out of the engine, e.g. over a message bus.</summary>
public interface IEventPublisher
{
    /// <summary>
    /// Hands over one event. It returns when the transport has taken it. The engine calls in order per stream, one call at a time per stream,
    /// repeats after a failure, and may repeat after a restart: consumers tell duplicates by <see cref="IntegrationEvent.Id"/>.
    /// </summary>
    Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken);
}
