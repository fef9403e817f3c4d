using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>A durable queue that every integration event goes to, and who takes them from there.</summary>
/// <param name="Queue">Its name, of the virtual host; consumers of one queue share its events.</param>
/// <param name="Handle">Called for each event, at once and one at a time.</param>
public sealed record RabbitMqEventConsumer(string Queue, Action<IntegrationEvent> Handle)
{
    /// <summary>
    /// Events handed out ahead of their acknowledgement, 1 to 65,535. Default 256: fewer wait for round trips.
    /// </summary>
    public int Prefetch { get; init; } = 256;

    /// <summary>
    /// Lets the broker remove the queue after that long without a consumer; null by default: it stays for ever.
    /// </summary>
    public TimeSpan? ExpiresUnused { get; init; }
}
