namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>The store on PostgreSQL.</summary>
internal sealed class PostgresBackend(string name, SignalDriver driver)
    : DatabaseBackend<PostgresServer>(name, new PostgresProvider(), driver)
{
    protected override Task<CeilingsResult> MeasureCeilingsAsync(
        PostgresServer server, CancellationToken cancellationToken) =>
        new PostgresCeilings(server).MeasureAsync(cancellationToken);

    protected override async Task<BackendDatabase> CreateDatabaseAsync(
        PostgresServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken) =>
        new PostgresDatabase(server, await server.CreateDatabaseAsync(purpose, cancellationToken), channel);
}
