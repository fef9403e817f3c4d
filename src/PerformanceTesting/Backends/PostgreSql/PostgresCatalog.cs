namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>For those who are about PostgreSQL itself.</summary>
public static class PostgresCatalog
{
    /// <summary>The PostgreSQL server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available.</exception>
    public static async Task<PostgresServer> PostgresAsync(this BackendCatalog catalog, CancellationToken cancellationToken) =>
        (PostgresServer)await catalog.ServerAsync(ServerKind.Postgres, cancellationToken);
}
