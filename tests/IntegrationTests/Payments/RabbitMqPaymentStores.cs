namespace IntegrationTests.Payments;

/// <summary>In memory, with events over RabbitMQ. The fixture removes each service's queues and exchanges.</summary>
public sealed class RabbitMqPaymentStores(BackendFixture backends) : PaymentStores, IAsyncDisposable
{
    private static readonly string[] Queues =
        ["payment-initiated", "payment-created", "payment-settled", "payment-completed", "test"];

    private readonly ConcurrentQueue<(RabbitMqServer Broker, string Prefix)> _made = [];

    public async ValueTask DisposeAsync()
    {
        foreach (var (broker, prefix) in _made)
        {
            await broker.RemoveAsync(prefix, typeof(PaymentEvent), Queues);
        }
    }

    internal override async Task<PaymentSettings> SettingsAsync()
    {
        var broker = (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        var prefix = RabbitMqServer.NewPrefix();
        _made.Enqueue((broker, prefix));
        return new PaymentSettings { BrokerConnectionString = broker.ConnectionString, TransportPrefix = prefix };
    }
}
