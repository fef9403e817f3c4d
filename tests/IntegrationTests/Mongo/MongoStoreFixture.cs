using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Conformance;
using PerformanceTesting.Backends.MongoDb;
using Workflow.Abstractions.Stores;

namespace IntegrationTests.Mongo;

/// <summary>
/// Contents on MongoDB: a database a test. Skips where no server is available, which without the full feed is everywhere.
/// </summary>
public sealed class MongoStoreFixture(BackendFixture backends) : StoreFixture, IAsyncDisposable
{
    private readonly ConcurrentBag<string> _databases = [];

    public override async Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        await backends.Catalog.RequireOrSkipAsync("mongo", cancellationToken);
        var server = await backends.Catalog.MongoAsync(cancellationToken);
        var database = server.NewDatabase();
        _databases.Add(database);
        return () => server.CreateStore(database);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var database in _databases)
        {
            var server = await backends.Catalog.MongoAsync(CancellationToken.None);
            await server.DropDatabaseAsync(database, CancellationToken.None);
        }
    }
}
