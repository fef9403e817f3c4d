using System.Security.Cryptography;
using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends.PostgreSql;
using Workflow.Stores.PostgreSql;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Content on PostgreSQL: a database per class and a schema per test. Skips without a server.</summary>
public class PostgresStoreFixture(BackendFixture backends) : StoreFixture, IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private string? _connectionString;

    public override async Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        var options = await OptionsAsync(cancellationToken);
        return () => new PostgresStore(options);
    }

    /// <summary>Options of a store on a schema that does not exist yet.</summary>
    public async Task<PostgresStoreOptions> OptionsAsync(CancellationToken cancellationToken)
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", cancellationToken);
        return new()
        {
            ConnectionString = await DatabaseAsync(cancellationToken),
            Schema = "t_" + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(8)),
        };
    }

    public async ValueTask DisposeAsync()
    {
        if (_connectionString is not null)
        {
            var server = await backends.Catalog.PostgresAsync(CancellationToken.None);
            await server.DropDatabaseAsync(_connectionString, CancellationToken.None);
        }

        _gate.Dispose();
        GC.SuppressFinalize(this);
    }

    private async Task<string> DatabaseAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            var server = await backends.Catalog.PostgresAsync(cancellationToken);
            return _connectionString ??= await server.CreateDatabaseAsync("conformance", cancellationToken);
        }
        finally
        {
            _gate.Release();
        }
    }
}
