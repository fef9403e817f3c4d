using PerformanceTesting.Backends.Oracle;
using Workflow.Abstractions.Stores;
using Workflow.Stores.Oracle;

namespace IntegrationTests.Oracle;

/// <summary>Content on Oracle: a user and so a schema for each test. Skips without a server.</summary>
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
