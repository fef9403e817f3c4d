using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>How integration events go over RabbitMQ.</summary>
public sealed record RabbitMqEventOptions
{
    public required RabbitMqTarget Target { get; init; }

    /// <summary>Put before the name of every exchange, so that several services or runs share a virtual host. Default: none.</summary>
    public string ExchangePrefix { get; init; } = "";

    /// <summary>
    /// Events of one stream and type that may be sent to the broker and not confirmed yet, 1 to 128 (what the client library has
    /// outstanding at most). Default 64: a confirmation takes a forced write. With 1 a stream carries one event per confirmation.
    /// </summary>
    public int PublishWindow { get; init; } = 64;

    /// <summary>
    /// How long the broker may take to confirm an event before it is published again, 0.1 s to 5 min. Default 10 s. A confirmation that was
    /// in transit when the connection ended never comes.
    /// </summary>
    public TimeSpan PublishTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Consumes every event from a queue of its own; null by default: the bus only publishes.</summary>
    public RabbitMqEventConsumer? Consumer { get; init; }
}

/// <summary>A durable queue that every integration event goes to, and who takes them from there.</summary>
/// <param name="Queue">Its name, of the virtual host; consumers of one queue share its events.</param>
/// <param name="Handle">Called for each event, at once and one at a time.</param>
public sealed record RabbitMqEventConsumer(string Queue, Action<IntegrationEvent> Handle)
{
    /// <summary>Events handed out ahead of their acknowledgement, 1 to 65,535. Default 256: fewer wait for round trips.</summary>
    public int Prefetch { get; init; } = 256;

    /// <summary>Lets the broker remove the queue after that long without a consumer; null by default: it stays for ever.</summary>
    public TimeSpan? ExpiresUnused { get; init; }
}
