using LoadTesting.Core.Load.Watches;
using Npgsql;
using Payments.Service.Configuration;
using Workflow.Abstractions.Stores;
using Workflow.Stores.PostgreSql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>A database of a PostgreSQL server.</summary>
internal sealed class PostgresDatabase(PostgresServer server, string connectionString, SignalChannel channel)
    : ServerDatabase(server, "Postgres", connectionString, channel)
{
    private const double ConnectionFloor = 2;
    private NpgsqlConnection? _sessions;

    public override PaymentSettings PaymentSettings => new() { ConnectionString = ConnectionString };
    public override IReadOnlyList<LeakProbe> LeakProbes =>
        [new("connections", "connections", ConnectionFloor, CountSessionsAsync)];
    private string Observer => PostgresCollector.ObserverOf(server, ConnectionString);

    public override IWorkflowStore CreateStore() => new PostgresStore(new() { ConnectionString = ConnectionString });

    public override async Task<IReadOnlyDictionary<string, long>?> AuditAsync(CancellationToken cancellationToken) =>
        await PostgresAudit.CountAsync(new() { ConnectionString = ConnectionString }, cancellationToken);

    public override async Task<InstanceCounts?> CountInstancesAsync(CancellationToken cancellationToken) =>
        await PostgresAudit.CountInstancesAsync(new() { ConnectionString = ConnectionString }, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        if (_sessions is not null)
        {
            await _sessions.DisposeAsync();
        }

        await server.DropDatabaseAsync(ConnectionString, CancellationToken.None);
        await base.DisposeAsync();
    }

    protected override IRunObserver Counters(bool waitForReports) =>
        new CountersObserver(
            async token => await PostgresCollector.StartAsync(Observer, ConnectionString, waitForReports, token));

    private async ValueTask<double?> CountSessionsAsync(CancellationToken cancellationToken)
    {
        _sessions ??= await PostgresCollector.ConnectAsync(Observer, cancellationToken);
        await using var command = new NpgsqlCommand(PostgresCollector.Sql["count_sessions"], _sessions);
        command.Parameters.Add(new() { Value = new NpgsqlConnectionStringBuilder(ConnectionString).Database! });
        return (long?)await command.ExecuteScalarAsync(cancellationToken);
    }
}
