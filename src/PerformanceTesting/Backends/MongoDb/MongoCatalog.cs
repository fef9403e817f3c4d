namespace PerformanceTesting.Backends.MongoDb;

/// <summary>For those who are about MongoDB itself.</summary>
public static class MongoCatalog
{
    /// <summary>The MongoDB server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available.</exception>
    public static async Task<MongoServer> MongoAsync(this BackendCatalog catalog, CancellationToken cancellationToken) =>
        (MongoServer)await catalog.ServerAsync(ServerKind.Mongo, cancellationToken);
}
