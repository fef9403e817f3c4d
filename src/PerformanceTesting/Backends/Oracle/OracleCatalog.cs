namespace PerformanceTesting.Backends.Oracle;

/// <summary>For those who are about Oracle itself.</summary>
public static class OracleCatalog
{
    /// <summary>The Oracle server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available.</exception>
    public static async Task<OracleServer> OracleAsync(this BackendCatalog catalog, CancellationToken cancellationToken) =>
        (OracleServer)await catalog.ServerAsync(ServerKind.Oracle, cancellationToken);
}
