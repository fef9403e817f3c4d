namespace PerformanceTesting.Backends.MongoDb;

/// <summary>The store on MongoDB.</summary>
internal sealed class MongoBackend(string name, SignalDriver driver)
    : DatabaseBackend<MongoServer>(name, new MongoProvider(), driver)
{
    protected override Task<CeilingsResult> MeasureCeilingsAsync(
        MongoServer server, CancellationToken cancellationToken) =>
        new MongoCeilings(server).MeasureAsync(cancellationToken);

    protected override Task<BackendDatabase> CreateDatabaseAsync(
        MongoServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken) =>
        Task.FromResult<BackendDatabase>(new MongoDatabase(server, server.NewDatabase(), channel));
}
