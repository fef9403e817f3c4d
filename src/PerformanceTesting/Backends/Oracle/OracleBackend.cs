using LoadTesting.Core.Results;
using PerformanceTesting.Backends.Redis;
using PerformanceTesting.Measurement;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Notifications.OracleAq;
using Workflow.Stores.Oracle;

namespace PerformanceTesting.Backends.Oracle;

/// <summary>The store on Oracle.</summary>
internal abstract class OracleBackend(string name, SignalDriver driver) : DatabaseBackend<OracleServer>(name, new OracleProvider(), driver)
{
    protected override Task<CeilingsResult> MeasureCeilingsAsync(OracleServer server, CancellationToken cancellationToken) =>
        Task.FromResult(
            new CeilingsResult { Notes = ["fsync, commits and round trip are null: they are measured on PostgreSQL and MongoDB only."] });

    protected override async Task<BackendDatabase> CreateDatabaseAsync(
        OracleServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken) =>
        new OracleSchema(server, await server.CreateUserAsync(cancellationToken), channel);
}

/// <summary>Its nodes are notified over Advanced Queueing.</summary>
internal sealed class OracleWithQueues() : OracleBackend("oracle-aq", SignalDriver.Native);

/// <summary>Its nodes are notified over Redis.</summary>
internal sealed class OracleWithRedis() : OracleBackend("oracle-redis", new RedisDriver());

/// <summary>A user of an Oracle server, with a schema of its own.</summary>
internal sealed class OracleSchema(OracleServer server, string connectionString, SignalChannel channel)
    : ServerDatabase(server, "Oracle", connectionString, channel)
{
    public override IWorkflowStore CreateStore() => new OracleStore(new() { ConnectionString = ConnectionString });

    public override async ValueTask DisposeAsync()
    {
        await server.DropUserAsync(ConnectionString, CancellationToken.None);
        await base.DisposeAsync();
    }

    protected override IRunObserver Counters(ObservationOptions options) =>
        new CountersObserver(async token => await OracleCollector.StartAsync(server, token));

    protected override INotifier CreateOwnNotifier(int lanes) => new OracleAqNotifier(new() { ConnectionString = ConnectionString });
}
