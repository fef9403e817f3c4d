using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.MongoDb;

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

    protected override IRunObserver Counters(bool waitForReports) =>
        new CountersObserver(async token => await MongoCollector.StartAsync(server, token));

    protected override INotifier CreateOwnNotifier(int lanes) => server.CreateNotifier(ConnectionString, lanes);
}
