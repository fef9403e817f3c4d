using IntegrationTests.Mongo.Server;
using PerformanceTesting.Backends.MongoDb;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace IntegrationTests.Mongo;

/// <summary>
/// Contents on MongoDB: a database for each test, on the server that is available or required here, else on one in this
/// process.
/// </summary>
public class MongoStoreFixture(BackendFixture backends) : StoreFixture, IAsyncDisposable
{
    private readonly ConcurrentBag<string> _databases = [];
    private readonly Lazy<InMemoryMongo> _inMemory = new();
    private int _made;

    /// <summary>Of the content that was made last.</summary>
    internal string ConnectionString { get; private set; } = "";

    public override async Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        var connectionString = ConnectionString = await NewDatabaseAsync(cancellationToken);
        return () => new MongoStore(new() { ConnectionString = connectionString });
    }

    /// <summary>The connection string of an empty database.</summary>
    /// <exception cref="BackendException">A server is required and there is none.</exception>
    internal async Task<string> NewDatabaseAsync(CancellationToken cancellationToken)
    {
        var available = await backends.Catalog.ProbeAsync("mongo", cancellationToken);
        if (!available.IsAvailable && !backends.Catalog.IsRequired("mongo"))
        {
            return _inMemory.Value.ConnectionString($"test{Interlocked.Increment(ref _made)}");
        }

        await backends.Catalog.RequireOrSkipAsync("mongo", cancellationToken);
        var database = (await backends.Catalog.MongoAsync(cancellationToken)).NewDatabase();
        _databases.Add(database);
        return database;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var database in _databases)
        {
            var server = await backends.Catalog.MongoAsync(CancellationToken.None);
            await server.DropDatabaseAsync(database, CancellationToken.None);
        }

        if (_inMemory.IsValueCreated)
        {
            await _inMemory.Value.DisposeAsync();
        }
    }
}
