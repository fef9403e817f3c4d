using Foundation;
using Npgsql;
using Workflow.Stores.PostgreSql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>Asks a database for rows that must not be there while the engine is idle.</summary>
public static class PostgresAudit
{
    // To compile the statement takes a second, and to run it some milliseconds.
    private const string WithoutCompilation = "-c jit=off";
    private static readonly SqlFile Statements = SqlFile.Of(typeof(PostgresAudit).Assembly, "audit");

    /// <returns>How many rows break each rule.</returns>
    public static async Task<IReadOnlyDictionary<string, long>> CountAsync(PostgresStoreOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        var builder = new NpgsqlConnectionStringBuilder(options.ConnectionString)
        {
            SearchPath = options.Schema,
            Pooling = false,
            ApplicationName = "workflow-audit",
            Options = WithoutCompilation,
        };
        await using var connection = new NpgsqlConnection(builder.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(Statements["count_broken_rules"], connection);
        await using var rows = await command.ExecuteReaderAsync(cancellationToken);
        var broken = new Dictionary<string, long>(StringComparer.Ordinal);
        while (await rows.ReadAsync(cancellationToken))
        {
            broken[rows.GetString(0)] = rows.GetInt64(1);
        }

        return broken;
    }
}
