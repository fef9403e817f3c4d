using System.Security.Cryptography;
using Npgsql;

namespace PerformanceTesting.Backends;

/// <summary>A PostgreSQL server shared by the tests of one process; each test takes a fresh database of it.</summary>
public abstract class PostgresServer : BackendServer
{
    private const int MaxIdentifierLength = 63;

    public sealed override ServerKind Kind => ServerKind.Postgres;

    public sealed override string ConnectionString => AdministrationConnectionString;

    /// <summary>Connection string of an administrative session, of a database that always exists.</summary>
    public abstract string AdministrationConnectionString { get; }

    /// <summary>A directory on the file system of the server's data that this process may write to; null when none is in reach.</summary>
    public virtual string? ReachableDirectory => null;

    /// <summary>Creates an empty database and returns its connection string.</summary>
    /// <param name="name">Readable part of the database's name; a unique suffix is added, so equal names do not clash.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">The server refuses; the message holds its SQLSTATE and log tail.</exception>
    public virtual async Task<string> CreateDatabaseAsync(string name, CancellationToken cancellationToken)
    {
        var database = UniqueName(name);
        await ExecuteAsync(AdministrationConnectionString, $"CREATE DATABASE {database}", cancellationToken);
        return new NpgsqlConnectionStringBuilder(AdministrationConnectionString) { Database = database }.ConnectionString;
    }

    /// <summary>Drops a database that <see cref="CreateDatabaseAsync"/> made, ending whatever sessions it still has.</summary>
    public virtual async Task DropDatabaseAsync(string connectionString, CancellationToken cancellationToken)
    {
        await using (var pool = new NpgsqlConnection(connectionString))
        {
            // Pooled sessions of a dropped database would fail their next user with a message about the wrong thing.
            NpgsqlConnection.ClearPool(pool);
        }

        var database = new NpgsqlConnectionStringBuilder(connectionString).Database;
        await ExecuteAsync(AdministrationConnectionString, $"DROP DATABASE IF EXISTS {database} WITH (FORCE)", cancellationToken);
    }

    /// <summary>Version and settings as a session sees them, with the durability class.</summary>
    /// <exception cref="NpgsqlException">The server cannot be reached.</exception>
    public sealed override Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken) =>
        PostgresSettings.ReadAsync(AdministrationConnectionString, cancellationToken);

    /// <summary>Asks whether a server takes writes.</summary>
    /// <returns>Null when it does, else what happened; the caller's deadline bounds the repetition.</returns>
    protected static async Task<string?> AskAsync(string connectionString, CancellationToken cancellationToken)
    {
        try
        {
            var builder = new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false, Timeout = 5, CommandTimeout = 5 };
            await using var connection = new NpgsqlConnection(builder.ConnectionString);
            await connection.OpenAsync(cancellationToken);
            await using var command = new NpgsqlCommand("SELECT NOT pg_is_in_recovery()", connection);
            return (bool)(await command.ExecuteScalarAsync(cancellationToken))! ? null : "it recovers";
        }
        catch (NpgsqlException exception)
        {
            return exception.Message;
        }
    }

    /// <exception cref="BackendException">The server says that it may lose what it acknowledged.</exception>
    protected async Task RefuseUnlessDurableAsync(CancellationToken cancellationToken)
    {
        var settings = await ReadSettingsAsync(cancellationToken);
        if (!settings.IsDurable)
        {
            throw new BackendException($"{Description} was configured durable but says it is {settings.Durability}; look for PGOPTIONS.");
        }
    }

    /// <summary>Runs one statement in a session of its own, outside any pool.</summary>
    protected async Task ExecuteAsync(string connectionString, string sql, CancellationToken cancellationToken)
    {
        try
        {
            var builder = new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false };
            await using var connection = new NpgsqlConnection(builder.ConnectionString);
            await connection.OpenAsync(cancellationToken);
            await using var command = new NpgsqlCommand(sql, connection);
            await command.ExecuteNonQueryAsync(cancellationToken);
        }
        catch (NpgsqlException exception)
        {
            throw new BackendException($"'{sql}' failed on {Description}: {exception.Message}{Environment.NewLine}{LogTail}", exception);
        }
    }

    /// <summary>An identifier that needs no quotes and that no other test of any process has.</summary>
    protected static string UniqueName(string name)
    {
        var suffix = $"_{Environment.ProcessId:x}_{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(4))}";
        var readable = new string([.. name.ToLowerInvariant().Select(c => char.IsAsciiLetterOrDigit(c) ? c : '_')]);
        return $"wf_{readable[..Math.Min(readable.Length, MaxIdentifierLength - suffix.Length - 3)]}{suffix}";
    }
}
