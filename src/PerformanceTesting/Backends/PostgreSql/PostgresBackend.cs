using Foundation;
using LoadTesting.Core.Load.Watches;
using Npgsql;
using Payments.Service.Configuration;
using PerformanceTesting.Backends.Redis;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;
using Workflow.Stores.PostgreSql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>The store on PostgreSQL.</summary>
internal abstract class PostgresBackend(string name, SignalDriver driver)
    : DatabaseBackend<PostgresServer>(name, new PostgresProvider(), driver)
{
    protected override Task<CeilingsResult> MeasureCeilingsAsync(PostgresServer server, CancellationToken cancellationToken) =>
        new PostgresCeilings(server).MeasureAsync(cancellationToken);

    protected override async Task<BackendDatabase> CreateDatabaseAsync(
        PostgresServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken) =>
        new PostgresDatabase(server, await server.CreateDatabaseAsync(purpose, cancellationToken), channel);
}

/// <summary>Its nodes are notified by PostgreSQL's own <c>LISTEN</c>; one engine in process, which has all lanes, by nothing.</summary>
internal sealed class PostgresAlone() : PostgresBackend("postgres", SignalDriver.Native);

/// <summary>Its nodes are notified over Redis.</summary>
internal sealed class PostgresWithRedis() : PostgresBackend("postgres-redis", new RedisDriver());

/// <summary>A database of a PostgreSQL server.</summary>
internal sealed class PostgresDatabase(PostgresServer server, string connectionString, SignalChannel channel)
    : ServerDatabase(server, "Postgres", connectionString, channel)
{
    private const double ConnectionFloor = 2;
    private NpgsqlConnection? _sessions;

    public override PaymentSettings PaymentSettings => new() { ConnectionString = ConnectionString };
    public override IReadOnlyList<LeakProbe> LeakProbes => [new("connections", "connections", ConnectionFloor, CountSessionsAsync)];
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

    protected override IRunObserver Counters(ObservationOptions options) =>
        new CountersObserver(async token => await PostgresCollector.StartAsync(Observer, ConnectionString, options.WaitForReports, token));

    private async ValueTask<double?> CountSessionsAsync(CancellationToken cancellationToken)
    {
        _sessions ??= await PostgresCollector.ConnectAsync(Observer, cancellationToken);
        await using var command = new NpgsqlCommand(PostgresCollector.Sql["count_sessions"], _sessions);
        command.Parameters.Add(new() { Value = new NpgsqlConnectionStringBuilder(ConnectionString).Database! });
        return (long?)await command.ExecuteScalarAsync(cancellationToken);
    }
}

/// <summary>Asks a database for rows that must not be there while the engine is idle.</summary>
public static class PostgresAudit
{
    private static readonly SqlFile Sql = SqlFile.Of(typeof(PostgresAudit).Assembly, "audit");

    // To compile the statement takes a second, and to run it some milliseconds.
    private const string WithoutCompilation = "-c jit=off";

    /// <returns>How many rows break each rule.</returns>
    public static async Task<IReadOnlyDictionary<string, long>> CountAsync(
        PostgresStoreOptions options, CancellationToken cancellationToken)
    {
        var broken = new Dictionary<string, long>(StringComparer.Ordinal);
        await ReadAsync(options, "count_broken_rules", rows => broken[rows.GetString(0)] = rows.GetInt64(1), cancellationToken);
        return broken;
    }

    /// <returns>Instances by state.</returns>
    public static async Task<InstanceCounts> CountInstancesAsync(PostgresStoreOptions options, CancellationToken cancellationToken)
    {
        var counts = new Dictionary<InstanceState, long>();
        await ReadAsync(options, "count_instances", rows => counts[(InstanceState)rows.GetInt32(0)] = rows.GetInt64(1), cancellationToken);
        return InstanceCounts.Of(counts);
    }

    private static async Task ReadAsync(
        PostgresStoreOptions options, string statement, Action<NpgsqlDataReader> read, CancellationToken cancellationToken)
    {
        var builder = new NpgsqlConnectionStringBuilder(options.ConnectionString)
        {
            SearchPath = options.Schema,
            Pooling = false,
            ApplicationName = "workflow-audit",
            Options = WithoutCompilation,
        };
        await using var connection = new NpgsqlConnection(builder.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(Sql[statement], connection);
        await using var rows = await command.ExecuteReaderAsync(cancellationToken);
        while (await rows.ReadAsync(cancellationToken))
        {
            read(rows);
        }
    }
}
