using Foundation;
using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>Asks a PostgreSQL server for its settings.</summary>
public static class PostgresSettings
{
    private static readonly string[] DurabilityNames = ["fsync", "full_page_writes", "synchronous_commit"];

    private static readonly string[] Names =
    [
        .. DurabilityNames, "wal_sync_method", "wal_level", "shared_buffers", "max_connections", "max_wal_size",
        "checkpoint_timeout",
        "backend_flush_after", "commit_delay", "wal_compression", "track_io_timing", "track_wal_io_timing",
    ];

    /// <summary>What makes the statistics of statements visible in a database.</summary>
    public const string CreateStatistics = $"CREATE EXTENSION {StatementStatistics}";

    /// <summary>The module that counts statements.</summary>
    public const string StatementStatistics = "pg_stat_statements";

    /// <summary>
    /// What the servers that are started here run with, in a container or not: durable, and reporting what they do.
    /// </summary>
    public static IReadOnlyDictionary<string, string> OfOwnServers { get; } = new Dictionary<string, string>
    {
        ["fsync"] = "on",
        ["full_page_writes"] = "on",
        ["synchronous_commit"] = "on",
        ["max_wal_size"] =
            "2GB", // A checkpoint for want of log space in the middle of a measurement would be measured too.

        // Else what sessions write stays in the kernel's cache until, 30 s later, 1 GB goes to the disk at once: each
        // commit waits for it.
        ["backend_flush_after"] = "256kB",
        ["max_connections"] = "200",
        ["shared_buffers"] = "256MB",
        ["track_io_timing"] = "on",
        ["track_wal_io_timing"] = "on", // Else the time of its forced writes reads as 0.
        ["timezone"] = "UTC",
        ["shared_preload_libraries"] = StatementStatistics,

        // It keeps 5,000 of all databases by default and drops a twentieth when full: a night has a database for each
        // scenario.
        [StatementStatistics + ".max"] = "50000",
    };

    /// <summary>Judges settings that were read, name to value.</summary>
    public static SettingsReadBack Of(string version, IReadOnlyDictionary<string, string> settings) =>
        new(version, settings,
        [
            .. DurabilityNames
                .Where(name => settings.GetValueOrDefault(name) != "on")
                .Select(name => $"{name}={settings.GetValueOrDefault(name) ?? "unknown"}"),
        ]);

    /// <summary>Reads the settings as a session of that connection string sees them.</summary>
    /// <exception cref="NpgsqlException">The server cannot be reached or refuses the session.</exception>
    public static async Task<SettingsReadBack> ReadAsync(string connectionString, CancellationToken cancellationToken)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false };
        await using var connection = new NpgsqlConnection(builder.ConnectionString);
        await connection.OpenAsync(cancellationToken);

        // missing_ok: a name that this version does not know is left out instead of failing the whole read.
        const string Sql = "SELECT name, current_setting(name, true) FROM unnest($1::text[]) AS name";
        await using var command = new NpgsqlCommand(Sql, connection);
        command.Parameters.Add(new NpgsqlParameter<string[]> { TypedValue = ["server_version", .. Names] });
        var values = new SortedDictionary<string, string>(StringComparer.Ordinal);
        await using (var reader = await command.ExecuteReaderAsync(cancellationToken))
        {
            while (await reader.ReadAsync(cancellationToken))
            {
                if (!await reader.IsDBNullAsync(1, cancellationToken))
                {
                    values[reader.GetString(0)] = reader.GetString(1);
                }
            }
        }

        if (await ReadFileSystemAsync(connection, cancellationToken) is { } fileSystem)
        {
            values[SettingsReadBack.FileSystem] = fileSystem;
        }

        values.Remove("server_version", out var version);
        return Of((version ?? "unknown").Split(' ')[0], values);
    }

    /// <summary>
    /// The server itself is asked, since it may be in a container or elsewhere: it reads its own table of mounts where
    /// the role may have it do so.
    /// </summary>
    /// <returns>Null where it may not, or where the server's system has no such table.</returns>
    private static async Task<string?> ReadFileSystemAsync(
        NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        const string Sql = "SELECT current_setting('data_directory'), pg_read_file('/proc/self/mountinfo', 0, 4194304)";
        try
        {
            await using var command = new NpgsqlCommand(Sql, connection);
            await using var row = await command.ExecuteReaderAsync(cancellationToken);
            await row.ReadAsync(cancellationToken);
            return FileSystems.TypeOf(row.GetString(0), row.GetString(1));
        }
        catch (PostgresException exception)
            when (exception.SqlState is PostgresErrorCodes.InsufficientPrivilege or PostgresErrorCodes.UndefinedFile)
        {
            return null;
        }
    }
}
