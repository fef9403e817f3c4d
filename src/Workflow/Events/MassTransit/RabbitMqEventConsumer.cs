using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>A durable queue that every integration event goes to, and who takes them from there.</summary>
/// <param name="Queue">Its name, of the virtual host; consumers of one queue share its events.</param>
/// <param name="Handle">Called for each event, at once and one at a time.</param>
public sealed record RabbitMqEventConsumer(string Queue, Action<IntegrationEvent> Handle)
{
    /// <summary>Events that the broker hands out ahead of their acknowledgement, 1 to 65,535. Default 256: fewer make the consumer wait for round trips.</summary>
    public int Prefetch { get; init; } = 256;

    /// <summary>
    /// Lets the broker remove the queue when nobody has consumed from it for so long; null by default: it and the events in it stay for ever.
    /// </summary>
    public TimeSpan? ExpiresUnused { get; init; }
}
