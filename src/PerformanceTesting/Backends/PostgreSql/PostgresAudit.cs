using Foundation;
using Npgsql;
using Workflow.Contracts.Instances;
using Workflow.Stores.PostgreSql;

namespace PerformanceTesting.Backends.PostgreSql;

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
        await ReadAsync(
            options, "count_broken_rules", rows => broken[rows.GetString(0)] = rows.GetInt64(1), cancellationToken);
        return broken;
    }

    /// <returns>Instances by state.</returns>
    public static async Task<InstanceCounts> CountInstancesAsync(
        PostgresStoreOptions options, CancellationToken cancellationToken)
    {
        var counts = new Dictionary<InstanceState, long>();
        await ReadAsync(options, "count_instances", rows => counts[(InstanceState)rows.GetInt32(0)] = rows.GetInt64(1),
            cancellationToken);
        return InstanceCounts.Of(counts);
    }

    private static async Task ReadAsync(
        PostgresStoreOptions options, string statement, Action<NpgsqlDataReader> read,
        CancellationToken cancellationToken)
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
