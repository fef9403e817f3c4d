using Npgsql;

namespace IntegrationTests.Shared.Backends;

/// <summary>What a PostgreSQL server says of itself, so that a result is never credited to settings that were only asked for.</summary>
/// <param name="Version">Server version, e.g. <c>15.18</c>.</param>
/// <param name="Settings">Name to value with unit, as <c>current_setting</c> gives it to the session that was asked.</param>
public sealed record SettingsReadBack(string Version, IReadOnlyDictionary<string, string> Settings)
{
    /// <summary>The class of a server that loses nothing it acknowledged when the power fails.</summary>
    public const string Durable = "durable";

    private static readonly string[] DurabilityNames = ["fsync", "full_page_writes", "synchronous_commit"];

    private static readonly string[] Names =
    [
        .. DurabilityNames, "wal_sync_method", "wal_level", "shared_buffers", "max_connections", "max_wal_size", "checkpoint_timeout",
        "commit_delay", "wal_compression", "track_io_timing", "track_wal_io_timing",
    ];

    /// <summary><see cref="Durable"/>, or <c>not durable: fsync=off</c> with every setting that is not on. Unlike classes are never ranked.</summary>
    public string Durability
    {
        get
        {
            var off = DurabilityNames
                .Where(name => Settings.GetValueOrDefault(name) != "on")
                .Select(name => $"{name}={Settings.GetValueOrDefault(name) ?? "unknown"}")
                .ToList();
            return off.Count == 0 ? Durable : $"not durable: {string.Join(", ", off)}";
        }
    }

    public bool IsDurable => Durability == Durable;

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
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            if (!await reader.IsDBNullAsync(1, cancellationToken))
            {
                values[reader.GetString(0)] = reader.GetString(1);
            }
        }

        values.Remove("server_version", out var version);
        return new SettingsReadBack((version ?? "unknown").Split(' ')[0], values);
    }
}
