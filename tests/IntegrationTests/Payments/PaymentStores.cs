using System.Security.Cryptography;
using Payments.Contracts;
using Payments.Service.Hosting;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>Empty stores of a kind; a handle more on the same content is what a restart is.</summary>
public abstract class PaymentStores
{
    /// <summary>Settings that lead to an empty store.</summary>
    internal abstract Task<PaymentSettings> SettingsAsync();

    /// <summary>An empty store, ready.</summary>
    internal async Task<IPaymentStore> CreateAsync()
    {
        var store = PaymentService.CreateStore(await SettingsAsync());
        await store.PrepareAsync(Cancel);
        return store;
    }
}

/// <summary>
/// Does what another store does, which ends with its owner, and runs what a test has for a call: that throws where the call is to fail.
/// </summary>
internal sealed class FaultyPaymentStore(IPaymentStore inner) : IPaymentStore
{
    /// <summary>Runs when a payment has come to a status; where it throws, the reply is lost.</summary>
    public Action<PaymentStatus> Advanced { get; init; } = _ => { };

    /// <summary>Runs before overdue payments are taken.</summary>
    public Action Taking { get; init; } = () => { };

    public Task PrepareAsync(CancellationToken cancellationToken) => inner.PrepareAsync(cancellationToken);

    public Task AddAsync(Payment payment, CancellationToken cancellationToken) => inner.AddAsync(payment, cancellationToken);

    public Task<Payment> AddOnceAsync(Payment payment, string idempotencyKey, CancellationToken cancellationToken) =>
        inner.AddOnceAsync(payment, idempotencyKey, cancellationToken);

    public Task<Payment?> FindAsync(Guid id, CancellationToken cancellationToken) => inner.FindAsync(id, cancellationToken);

    public async Task<Payment?> AdvanceAsync(Guid id, PaymentStatus to, DateTimeOffset nowUtc, CancellationToken cancellationToken)
    {
        var advanced = await inner.AdvanceAsync(id, to, nowUtc, cancellationToken);
        if (advanced is not null)
        {
            Advanced(to);
        }

        return advanced;
    }

    public Task<bool> IssueReceiptAsync(Guid id, Guid receiptId, DateTimeOffset nowUtc, CancellationToken cancellationToken) =>
        inner.IssueReceiptAsync(id, receiptId, nowUtc, cancellationToken);

    public Task<IReadOnlyList<Payment>> TakeOverdueAsync(
        DateTimeOffset publishedBefore, DateTimeOffset nowUtc, int limit, CancellationToken cancellationToken)
    {
        Taking();
        return inner.TakeOverdueAsync(publishedBefore, nowUtc, limit, cancellationToken);
    }

    public Task<PaymentCounts> CountAsync(CancellationToken cancellationToken) => inner.CountAsync(cancellationToken);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}

internal sealed class MemoryPaymentStores : PaymentStores
{
    internal override Task<PaymentSettings> SettingsAsync() => Task.FromResult(new PaymentSettings());
}

/// <summary>On PostgreSQL, a schema each. Skips where no server is available.</summary>
public sealed class PostgresPaymentStores(BackendFixture backends) : PaymentStores, IAsyncDisposable
{
    private string? _connectionString;

    public async ValueTask DisposeAsync()
    {
        if (_connectionString is { } made)
        {
            await (await backends.Catalog.PostgresAsync(CancellationToken.None)).DropDatabaseAsync(made, CancellationToken.None);
        }
    }

    internal override async Task<PaymentSettings> SettingsAsync()
    {
        var cancel = Cancel;
        await backends.Catalog.RequireOrSkipAsync("postgres", cancel);
        _connectionString ??= await (await backends.Catalog.PostgresAsync(cancel)).CreateDatabaseAsync("payments", cancel);
        return new() { ConnectionString = _connectionString, Schema = "t_"
            + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(8)), Connections = 8 };
    }
}

/// <summary>In memory, with events over a RabbitMQ broker; the queues and exchanges of each service go with the fixture.</summary>
public sealed class RabbitMqPaymentStores(BackendFixture backends) : PaymentStores, IAsyncDisposable
{
    private static readonly string[] Queues = ["payment-initiated", "payment-created", "payment-settled", "payment-completed", "test"];

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
