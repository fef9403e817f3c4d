namespace Workflow.Events.MassTransit;

/// <summary>How integration events go over RabbitMQ.</summary>
public sealed record RabbitMqEventOptions
{
    public required RabbitMqTarget Target { get; init; }

    /// <summary>
    /// Put before the name of every exchange, so that several services or runs share a virtual host. Default: none.
    /// </summary>
    public string ExchangePrefix { get; init; } = "";

    /// <summary>
    /// Events of one stream and type that may be sent to the broker and not confirmed yet, 1 to 128 (what the client
    /// library has outstanding at most). Default 64: a confirmation takes a forced write. With 1 a stream carries one
    /// event per confirmation.
    /// </summary>
    public int PublishWindow { get; init; } = 64;

    /// <summary>
    /// How long the broker may take to confirm an event before it is published again, 0.1 s to 5 min. Default 10 s. A
    /// confirmation that was in transit when the connection ended never comes.
    /// </summary>
    public TimeSpan PublishTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Consumes every event from a queue of its own; null by default: the bus only publishes.</summary>
    public RabbitMqEventConsumer? Consumer { get; init; }
}
