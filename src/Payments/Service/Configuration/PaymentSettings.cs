namespace Payments.Service.Configuration;

public sealed record PaymentSettings
{
    /// <summary>
    /// <c>ConnectionStrings:Payments</c>, with <c>PaymentStore:Provider</c> Postgres; null: payments are kept in
    /// memory. Holds a secret: never printed.
    /// </summary>
    public string? ConnectionString { get; init; }

    /// <summary><c>PaymentStore:Schema</c>; <c>payments</c> by default.</summary>
    public string Schema { get; init; } = "payments";

    /// <summary><c>PaymentStore:Connections</c>, 1 to 1,000; 16 by default.</summary>
    public int Connections { get; init; } = 16;

    /// <summary>
    /// <c>ConnectionStrings:RabbitMq</c>, an amqp URI, with <c>Transport:Provider</c> RabbitMq; null: the bus is within
    /// this process. Holds a secret: never printed.
    /// </summary>
    public string? BrokerConnectionString { get; init; }

    /// <summary>
    /// <c>Transport:Prefix</c> of the names of queues and exchanges, so that several services share a broker unheard by
    /// each other; none by default.
    /// </summary>
    public string TransportPrefix { get; init; } = "";

    /// <summary>
    /// How long the start waits for the broker, which MassTransit would try without end, and an event for it; 8 s.
    /// </summary>
    public TimeSpan BrokerPatience { get; init; } = TimeSpan.FromSeconds(8);

    /// <summary><c>Currencies</c>: ISO 4217 codes that are accepted; EUR, GBP and USD by default.</summary>
    public IReadOnlyList<string> Currencies { get; init; } = ["EUR", "GBP", "USD"];

    /// <summary>
    /// <c>Consumers:ConcurrentMessages</c>, 1 to 10,000; 64 by default: messages that each of the four consumers works
    /// on at a time.
    /// </summary>
    public int ConcurrentMessages { get; init; } = 64;

    /// <summary>
    /// <c>Consumers:PaymentSettled:MinDelay</c>: what that consumer takes at least; zero by default, at most
    /// <see cref="SettledMaxDelay"/>.
    /// </summary>
    public TimeSpan SettledMinDelay { get; init; }

    /// <summary>
    /// <c>Consumers:PaymentSettled:MaxDelay</c>: what that consumer takes at most, drawn evenly; less than
    /// <see cref="RepeatAfter"/>.
    /// </summary>
    public TimeSpan SettledMaxDelay { get; init; }

    /// <summary><c>Consumers:PaymentSettled:Seed</c> of the delays; 1 by default.</summary>
    public int SettledSeed { get; init; } = 1;

    /// <summary>
    /// <c>Recovery:RepeatAfter</c>, 10 ms to a day; 30 s by default: an event that led to nothing for this long is
    /// published again. Must exceed what the slowest consumer and its queue take, else events are repeated in vain.
    /// </summary>
    public TimeSpan RepeatAfter { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// <c>Hosting:StopWhenInputEnds</c>; false by default. True ties the service to the process that holds its standard
    /// input.
    /// </summary>
    public bool StopWhenInputEnds { get; init; }
}
