using System.Security.Cryptography;

namespace IntegrationTests.Payments;

/// <summary>On PostgreSQL, a schema each. Skips where no server is available.</summary>
public sealed class PostgresPaymentStores(BackendFixture backends) : PaymentStores, IAsyncDisposable
{
    private string? _connectionString;

    public async ValueTask DisposeAsync()
    {
        if (_connectionString is { } made)
        {
            await (await backends.Catalog.PostgresAsync(CancellationToken.None))
                .DropDatabaseAsync(made, CancellationToken.None);
        }
    }

    internal override async Task<PaymentSettings> SettingsAsync()
    {
        var cancel = Cancel;
        await backends.Catalog.RequireOrSkipAsync("postgres", cancel);
        _connectionString ??=
            await (await backends.Catalog.PostgresAsync(cancel)).CreateDatabaseAsync("payments", cancel);
        return new() { ConnectionString = _connectionString, Schema = "t_"
            + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(8)), Connections = 8 };
    }
}
