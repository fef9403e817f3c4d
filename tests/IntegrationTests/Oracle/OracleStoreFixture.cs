using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Conformance;
using PerformanceTesting.Backends.Oracle;
using Workflow.Abstractions.Stores;
using Workflow.Stores.Oracle;

namespace IntegrationTests.Oracle;

/// <summary>Contents on Oracle: a user a test, as its schema is the user's. Skips where no server is available.</summary>
public sealed class OracleStoreFixture(BackendFixture backends) : StoreFixture, IAsyncDisposable
{
    private readonly ConcurrentBag<string> _users = [];

    public override async Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        await backends.Catalog.RequireOrSkipAsync("oracle-aq", cancellationToken);
        var server = await backends.Catalog.OracleAsync(cancellationToken);
        var connectionString = await server.CreateUserAsync(cancellationToken);
        _users.Add(connectionString);
        return () => new OracleStore(new() { ConnectionString = connectionString });
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var user in _users)
        {
            var server = await backends.Catalog.OracleAsync(CancellationToken.None);
            await server.DropUserAsync(user, CancellationToken.None);
        }
    }
}
