using System.Collections.Concurrent;
using Npgsql;

namespace PerformanceTesting.Backends;

/// <summary>
/// A server that already runs, named by a connection string. What tests create there is dropped when the run ends; a run that was
/// killed leaves databases or schemas named <c>wf_*</c> behind.
/// </summary>
public sealed class ExternalPostgresServer : PostgresServer
{
    /// <summary>The oldest version whose views have what is read here.</summary>
    private const int OldestVersion = 14;

    private static readonly TimeSpan ConnectDeadline = TimeSpan.FromSeconds(5);

    private readonly ConcurrentDictionary<string, bool> _created = new();
    private readonly NpgsqlConnectionStringBuilder _builder;

    private ExternalPostgresServer(NpgsqlConnectionStringBuilder builder) => _builder = builder;

    public override ProvisionMode Provision => ProvisionMode.External;

    public override string Description => $"external server ({ConnectionTarget.Describe(_builder)})";

    public override string AdministrationConnectionString => _builder.ConnectionString;

    public override string LogTail => "The log of an external server is not in reach.";

    /// <summary>Connects once, so that a wrong connection string is found before any test needs it.</summary>
    /// <param name="connectionString">Npgsql connection string.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, five seconds do.</param>
    /// <exception cref="BackendException">It cannot be parsed, nothing answers, or the server is too old; names host, port, database, user and the variable, never the password.</exception>
    public static async Task<ExternalPostgresServer> ConnectAsync(
        string connectionString,
        string variable,
        CancellationToken cancellationToken)
    {
        var builder = ConnectionTarget.Parse(connectionString, variable);
        builder.PersistSecurityInfo = true;
        var probe = new NpgsqlConnectionStringBuilder(builder.ConnectionString)
        {
            Pooling = false,
            Timeout = (int)ConnectDeadline.TotalSeconds,
            CommandTimeout = (int)ConnectDeadline.TotalSeconds,
        };
        try
        {
            // Loading types fails on a server that is too old, in words about something else.
            await using var source = new NpgsqlDataSourceBuilder(probe.ConnectionString).ConfigureTypeLoading(types => types.EnableTypeLoading(false)).Build();
            await using var connection = await source.OpenConnectionAsync(cancellationToken);
            if (connection.PostgreSqlVersion.Major < OldestVersion)
            {
                throw new BackendException(
                    $"The server of {variable} ({ConnectionTarget.Describe(builder)}) is PostgreSQL {connection.PostgreSqlVersion}; {OldestVersion} or newer is needed. "
                    + $"Name another one, or unset {variable} to have one started.");
            }

            await using var command = new NpgsqlCommand("SELECT 1", connection);
            await command.ExecuteScalarAsync(cancellationToken);
        }
        catch (Exception exception) when (exception is NpgsqlException or TimeoutException or System.Net.Sockets.SocketException)
        {
            throw new BackendException(
                $"The server of {variable} ({ConnectionTarget.Describe(builder)}) cannot be used: {Reason(exception)}. " +
                $"Correct {variable}, start that server, or unset {variable} to have one started.",
                exception);
        }

        return new ExternalPostgresServer(builder);
    }

    /// <inheritdoc/>
    public override async Task<string> CreateDatabaseAsync(string name, CancellationToken cancellationToken)
    {
        string connectionString;
        try
        {
            connectionString = await base.CreateDatabaseAsync(name, cancellationToken);
        }
        catch (BackendException exception) when (IsPermissionDenied(exception))
        {
            connectionString = await CreateSchemaAsync(name, cancellationToken);
        }

        _created[connectionString] = true;
        return connectionString;
    }

    /// <inheritdoc/>
    public override async Task DropDatabaseAsync(string connectionString, CancellationToken cancellationToken)
    {
        _created.TryRemove(connectionString, out _);
        var schema = new NpgsqlConnectionStringBuilder(connectionString).SearchPath;
        if (string.IsNullOrEmpty(schema) || schema == _builder.SearchPath)
        {
            await base.DropDatabaseAsync(connectionString, cancellationToken);
            return;
        }

        await ExecuteAsync(AdministrationConnectionString, $"DROP SCHEMA IF EXISTS {schema} CASCADE", cancellationToken);
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (var connectionString in _created.Keys)
        {
            await DropDatabaseAsync(connectionString, CancellationToken.None);
        }
    }

    // What opens a connection names only the target; the system's own word is inside.
    private static string Reason(Exception exception) =>
        exception.InnerException is System.Net.Sockets.SocketException or TimeoutException ? $"{exception.Message}: {exception.InnerException.Message}" : exception.Message;

    // A managed server often grants schemas but no databases; a schema isolates a test just as well.
    private async Task<string> CreateSchemaAsync(string name, CancellationToken cancellationToken)
    {
        var schema = UniqueName(name);
        await ExecuteAsync(AdministrationConnectionString, $"CREATE SCHEMA {schema}", cancellationToken);
        return new NpgsqlConnectionStringBuilder(AdministrationConnectionString) { SearchPath = schema }.ConnectionString;
    }

    private static bool IsPermissionDenied(BackendException exception) =>
        exception.InnerException is PostgresException { SqlState: PostgresErrorCodes.InsufficientPrivilege };
}
