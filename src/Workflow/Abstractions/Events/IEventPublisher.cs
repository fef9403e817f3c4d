using Workflow.Contracts.Events;

namespace Workflow.Abstractions.Events;

/// <summary>Publishes integration events of the engine, e.g. over a message bus.</summary>
public interface IEventPublisher
{
    /// <summary>
    /// Calls of one stream and event type that may be in flight at a time, 1 or more. Default 1: each call begins when
    /// the one before has returned. A transport that acknowledges late, such as a broker that writes to disk first,
    /// takes more. Calls begin in order; the first of a type, and one of another type than the one before, begins when
    /// all before have returned. One that fails is repeated after those that began later.
    /// </summary>
    int Window => 1;

    /// <summary>
    /// Publishes one event. Returns when the transport has accepted it. The engine calls in order per stream,
    /// <see cref="Window"/> calls at a time per stream, repeats after a failure, and may repeat after a restart:
    /// consumers recognise duplicates, and the order, by <see cref="IntegrationEvent.Id"/>.
    /// </summary>
    Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken);
}
