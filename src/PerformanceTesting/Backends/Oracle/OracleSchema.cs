using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Stores.Oracle;

namespace PerformanceTesting.Backends.Oracle;

/// <summary>A user of an Oracle server, with its schema.</summary>
internal sealed class OracleSchema(OracleServer server, string connectionString, SignalChannel channel)
    : ServerDatabase(server, "Oracle", connectionString, channel)
{
    public override IWorkflowStore CreateStore() => new OracleStore(new() { ConnectionString = ConnectionString });

    public override async ValueTask DisposeAsync()
    {
        await server.DropUserAsync(ConnectionString, CancellationToken.None);
        await base.DisposeAsync();
    }

    protected override IRunObserver Counters(bool waitForReports) =>
        new CountersObserver(async token => await OracleCollector.StartAsync(server, token));

    protected override INotifier CreateOwnNotifier(int lanes) =>
        new OracleAqNotifier(new() { ConnectionString = ConnectionString });
}
