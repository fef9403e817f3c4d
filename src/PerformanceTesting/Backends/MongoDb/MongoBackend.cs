using LoadTesting.Core.Results;
using PerformanceTesting.Backends.Redis;
using PerformanceTesting.Measurement;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>The store on MongoDB.</summary>
internal abstract class MongoBackend(string name, SignalDriver driver) : DatabaseBackend<MongoServer>(name, new MongoProvider(), driver)
{
    protected override Task<CeilingsResult> MeasureCeilingsAsync(MongoServer server, CancellationToken cancellationToken) =>
        server.MeasureCeilingsAsync(cancellationToken);

    protected override Task<BackendDatabase> CreateDatabaseAsync(
        MongoServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken) =>
        Task.FromResult<BackendDatabase>(new MongoDatabase(server, server.NewDatabase(), channel));
}

/// <summary>Its nodes are notified by change streams.</summary>
internal sealed class MongoAlone() : MongoBackend("mongo", SignalDriver.Native);

/// <summary>Its nodes are notified over Redis.</summary>
internal sealed class MongoWithRedis() : MongoBackend("mongo-redis", new RedisDriver());

/// <summary>A database of a MongoDB server.</summary>
internal sealed class MongoDatabase(MongoServer server, string connectionString, SignalChannel channel)
    : ServerDatabase(server, "Mongo", connectionString, channel)
{
    public override IWorkflowStore CreateStore() => server.CreateStore(ConnectionString);

    public override async ValueTask DisposeAsync()
    {
        await server.DropDatabaseAsync(ConnectionString, CancellationToken.None);
        await base.DisposeAsync();
    }

    protected override IRunObserver Counters(ObservationOptions options) =>
        new CountersObserver(async token => await MongoCollector.StartAsync(server, token));

    protected override INotifier CreateOwnNotifier(int lanes) => server.CreateNotifier(ConnectionString, lanes);
}
