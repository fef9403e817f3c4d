namespace PerformanceTesting.Backends.Oracle;

/// <summary>The store on Oracle.</summary>
internal sealed class OracleBackend(string name, SignalDriver driver)
    : DatabaseBackend<OracleServer>(name, new OracleProvider(), driver)
{
    protected override Task<CeilingsResult> MeasureCeilingsAsync(
        OracleServer server, CancellationToken cancellationToken) =>
        Task.FromResult(
            new CeilingsResult
                { Notes =
                    ["fsync, commits and round trip are null: they are measured on PostgreSQL and MongoDB only."] });

    protected override async Task<BackendDatabase> CreateDatabaseAsync(
        OracleServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken) =>
        new OracleSchema(server, await server.CreateUserAsync(cancellationToken), channel);
}
