using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using Foundation;
using Npgsql;
using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// A PostgreSQL server shared by the tests of one process; each test takes a fresh database of it. On an external
/// server a run that was killed leaves databases or schemas named <c>wf_*</c> behind.
/// </summary>
public sealed partial class PostgresServer : BackendServer
{
    /// <summary>The oldest version whose views have what is read here.</summary>
    private const int OldestVersion = 14;

    private const int Port = 5432;
    private const int MaxIdentifierLength = 63;
    private const string Data = "/var/lib/postgresql/data";
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(5);
    private readonly Func<NpgsqlConnectionStringBuilder> _administration;
    private readonly PostgresNative? _native;
    private readonly ConcurrentDictionary<string, bool> _created = new(StringComparer.Ordinal);

    private PostgresServer(
        ServerHost host, Func<NpgsqlConnectionStringBuilder> administration, PostgresNative? native = null)
        : base(host)
    {
        _administration = administration;
        _native = native;
    }

    public override ServerKind Kind => ServerKind.Postgres;
    public override string ConnectionString => AdministrationConnectionString;

    /// <summary>Connection string of an administrative session, of a database that always exists.</summary>
    public string AdministrationConnectionString => _administration().ConnectionString;

    /// <summary>
    /// A directory on the file system of the server's data that this process may write to; null when none is in reach.
    /// </summary>
    public string? ReachableDirectory => Host.DirectoryPath ?? (

        // By way of the kernel's view of the container, which is root's.
        Host.Container is not null && Host.ProcessId is { } id && Environment.IsPrivilegedProcess
            && $"/proc/{id}/root{Data}" is var path && Directory.Exists(path)
            ? path
            : null);

    private PostgresNative Native =>
        _native ?? throw new BackendException($"{Description} was not started by the tests, so the tests do not stop "
            + $"it.");

    /// <summary>
    /// Connects once to a server that already runs, so that a wrong connection string is found before any test needs
    /// it.
    /// </summary>
    /// <param name="connectionString">Npgsql connection string.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, five seconds do.</param>
    /// <exception cref="BackendException">
    /// It cannot be parsed, nothing answers, or the server is too old; names host, port, database, user and the
    /// variable, never the password.
    /// </exception>
    public static async Task<PostgresServer> ConnectAsync(
        string connectionString, string variable, CancellationToken cancellationToken)
    {
        var builder = Parse(connectionString, variable);
        builder.PersistSecurityInfo = true;
        var target = $"host={builder.Host}, port={builder.Port}, "
            + $"database={builder.Database ?? builder.Username}, user={builder.Username}";
        try
        {
            await ProbeAsync(builder, $"The server of {variable} ({target})", variable, cancellationToken);
        }
        catch (Exception exception) when (exception is NpgsqlException or TimeoutException or SocketException)
        {
            // What opens a connection names only the target; the system's own word is inside.
            var reason = exception.InnerException is SocketException or TimeoutException
                ? $"{exception.Message}: {exception.InnerException.Message}"
                : exception.Message;
            throw new BackendException(
                $"The server of {variable} ({target}) cannot be used: {reason}. "
                    + $"Correct {variable}, start that server, or unset {variable} to have one started.",
                exception);
        }

        return new PostgresServer(new ExternalHost(target), () => new(builder.ConnectionString));
    }

    /// <summary>Starts a durable server in a container and waits until it answers a query.</summary>
    /// <param name="memoryDataBytes">
    /// When given, the data directory is held in memory of that size: a disk that can be filled.
    /// </param>
    /// <exception cref="BackendException">
    /// It does not start or is not durable; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public static async Task<PostgresServer> StartContainerAsync(
        IContainerEngine engine, string image, long? memoryDataBytes, CancellationToken cancellationToken)
    {
        var password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
        var settings = PostgresSettings.OfOwnServers.Append(new("listen_addresses", "*"));
        var request = new ContainerRequest
        {
            Kind = ServerKind.Postgres.Name,
            Image = image,
            Ports = [Port],
            Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = password, ["PGDATA"] = Data },
            Command =
                ["postgres", .. settings.SelectMany(setting => (string[])["-c", $"{setting.Key}={setting.Value}"])],
            MemoryDirectories = memoryDataBytes is { } size
                ? new Dictionary<string, long> { [Data] = size }
                : new Dictionary<string, long>(),
        };
        var container = await ServerInContainer.StartAsync(
            engine, request, (started, token) => AskAsync(Administration(started).ConnectionString, token),
            cancellationToken);
        return await new PostgresServer(container, () => Administration(container.Container))
            .PreparedAsync(server => server.PrepareAsync(hasStatistics: true, cancellationToken));

        NpgsqlConnectionStringBuilder Administration(IServerContainer started) =>
            Connect(started.Host, started.PortOf(Port), password);
    }

    /// <summary>
    /// Removes what killed runs left, prepares a data directory, starts a durable server and waits until it answers.
    /// </summary>
    /// <param name="time">Clock of the deadlines; the system's when null.</param>
    /// <param name="inMemory">
    /// Whether its data are in memory, where there is room: for tests of what it does, not of how fast.
    /// </param>
    /// <exception cref="BackendException">
    /// It does not start or is not durable; the message holds the end of its log.
    /// </exception>
    public static async Task<PostgresServer> StartNativeAsync(
        PostgresBinaries binaries, TimeProvider? time = null, bool inMemory = false,
        CancellationToken cancellationToken = default)
    {
        var native = await PostgresNative.StartAsync(
            binaries, time, inMemory, (server, token) => AskAsync(Administration(server).ConnectionString, token),
            cancellationToken);
        return await new PostgresServer(native, () => Administration(native), native)
            .PreparedAsync(server => server.PrepareAsync(native.HasStatistics, cancellationToken));

        static NpgsqlConnectionStringBuilder Administration(PostgresNative server) =>
            Connect("127.0.0.1", server.Port, server.Password);
    }

    /// <summary>
    /// Creates an empty database and returns its connection string; where the role may create none, a schema, which
    /// isolates a test just as well: a managed server often grants only these.
    /// </summary>
    /// <param name="name">
    /// Readable part of the database's name; a unique suffix is added, so equal names do not clash.
    /// </param>
    /// <exception cref="BackendException">The server refuses; the message holds its SQLSTATE and log tail.</exception>
    public async Task<string> CreateDatabaseAsync(string name, CancellationToken cancellationToken)
    {
        var (unique, builder) = (UniqueName(name), _administration());
        try
        {
            await ExecuteAsync(AdministrationConnectionString, $"CREATE DATABASE {unique}", cancellationToken);
            builder.Database = unique;
        }
        catch (BackendException exception) when (Host.Provision == ProvisionMode.External && IsPermissionDenied(exception))
        {
            await ExecuteAsync(AdministrationConnectionString, $"CREATE SCHEMA {unique}", cancellationToken);
            builder.SearchPath = unique;
        }

        _created[builder.ConnectionString] = true;
        return builder.ConnectionString;
    }

    /// <summary>Drops what <see cref="CreateDatabaseAsync"/> made, ending whatever sessions it still has.</summary>
    public async Task DropDatabaseAsync(string connectionString, CancellationToken cancellationToken)
    {
        _created.TryRemove(connectionString, out _);
        var schema = new NpgsqlConnectionStringBuilder(connectionString).SearchPath;
        if (!string.IsNullOrEmpty(schema) && schema != _administration().SearchPath)
        {
            await ExecuteAsync(
                AdministrationConnectionString, $"DROP SCHEMA IF EXISTS {schema} CASCADE", cancellationToken);
            return;
        }

        await using (var pool = new NpgsqlConnection(connectionString))
        {
            // Pooled sessions of a dropped database would fail their next user with a message about the wrong thing.
            NpgsqlConnection.ClearPool(pool);
        }

        var database = new NpgsqlConnectionStringBuilder(connectionString).Database;
        await ExecuteAsync(
            AdministrationConnectionString, $"DROP DATABASE IF EXISTS {database} WITH (FORCE)", cancellationToken);
    }

    /// <summary>Version and settings as a session sees them, with the durability class.</summary>
    /// <exception cref="NpgsqlException">The server cannot be reached.</exception>
    public override Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken) =>
        PostgresSettings.ReadAsync(AdministrationConnectionString, cancellationToken);

    /// <summary>
    /// Ends the server as a crash would look to it: no checkpoint, open transactions lost, recovery at the next start.
    /// </summary>
    public Task StopImmediateAsync(CancellationToken cancellationToken) =>
        Native.StopAsync("immediate", cancellationToken);

    /// <summary>Ends the server in order: sessions are cut, a checkpoint is written.</summary>
    public Task StopFastAsync(CancellationToken cancellationToken) => Native.StopAsync("fast", cancellationToken);

    /// <summary>Databases that tests left go, or the server with all of them.</summary>
    public override async ValueTask DisposeAsync()
    {
        foreach (var connectionString in Host.Provision == ProvisionMode.External ? _created.Keys : [])
        {
            await DropDatabaseAsync(connectionString, CancellationToken.None);
        }

        await base.DisposeAsync();
    }

    /// <summary>
    /// Parses, or says what is wrong without repeating a value: any part of a malformed string may be the password.
    /// </summary>
    private static NpgsqlConnectionStringBuilder Parse(string connectionString, string variable)
    {
        try
        {
            var builder = new NpgsqlConnectionStringBuilder(connectionString);
            return string.IsNullOrEmpty(builder.Host)
                ? throw new BackendException($"{variable} names no Host. {Expected(connectionString)}")
                : builder;
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException or OverflowException)
        {
            // Not chained: the parser's own message may quote the offending value.
            throw new BackendException($"{variable} is not an Npgsql connection string. {Expected(connectionString)}");
        }
    }

    private static string Expected(string connectionString)
    {
        var keywords = connectionString.Split(';')
            .Select(part => part.Split('=', 2))
            .Where(pair => pair.Length == 2 && Keyword().IsMatch(pair[0]))
            .Select(pair => pair[0].Trim());
        return $"Expected 'Host=...;Port=5432;Username=...;Password=...;Database=...', "
            + $"found the keywords [{string.Join(", ", keywords)}].";
    }

    private static async Task ProbeAsync(
        NpgsqlConnectionStringBuilder builder, string server, string variable, CancellationToken cancellationToken)
    {
        var probe = new NpgsqlConnectionStringBuilder(builder.ConnectionString)
        {
            Pooling = false,
            Timeout = (int)ConnectTimeout.TotalSeconds,
            CommandTimeout = (int)ConnectTimeout.TotalSeconds,
        };

        // Loading types fails on a server that is too old, with a message about something else.
        await using var source = new NpgsqlDataSourceBuilder(probe.ConnectionString)
            .ConfigureTypeLoading(types => types.EnableTypeLoading(false)).Build();
        await using var connection = await source.OpenConnectionAsync(cancellationToken);
        if (connection.PostgreSqlVersion.Major < OldestVersion)
        {
            throw new BackendException(
                $"{server} is PostgreSQL {connection.PostgreSqlVersion}; {OldestVersion} or newer is needed. "
                    + $"Name another one, or unset {variable} to have one started.");
        }

        await using var command = new NpgsqlCommand("SELECT 1", connection);
        await command.ExecuteScalarAsync(cancellationToken);
    }

    /// <summary>Asks whether a server takes writes.</summary>
    /// <returns>Null when it does, else what happened; the caller's deadline bounds the repetition.</returns>
    private static async Task<string?> AskAsync(string connectionString, CancellationToken cancellationToken)
    {
        try
        {
            var builder = new NpgsqlConnectionStringBuilder(
                connectionString) { Pooling = false, Timeout = 5, CommandTimeout = 5 };
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

    private static NpgsqlConnectionStringBuilder Connect(string host, int port, string password) => new()
    {
        Host = host,
        Port = port,
        Username = "postgres",
        Password = password,
        Database = "postgres",
        PersistSecurityInfo = true,
    };

    /// <summary>An identifier that needs no quotes and that no other test of any process has.</summary>
    private static string UniqueName(string name)
    {
        var suffix = $"_{Environment.ProcessId:x}_{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(4))}";
        var readable = new string([.. name.ToLowerInvariant().Select(c => char.IsAsciiLetterOrDigit(c) ? c : '_')]);
        return $"wf_{readable[..Math.Min(readable.Length, MaxIdentifierLength - suffix.Length - 3)]}{suffix}";
    }

    private static bool IsPermissionDenied(BackendException exception) =>
        exception.InnerException is PostgresException { SqlState: PostgresErrorCodes.InsufficientPrivilege };

    /// <summary>
    /// Makes statistics of statements visible in every database of a test, and refuses a server that is not durable.
    /// </summary>
    private async Task PrepareAsync(bool hasStatistics, CancellationToken cancellationToken)
    {
        if (hasStatistics)
        {
            var template = _administration();
            template.Database = "template1";
            await ExecuteAsync(template.ConnectionString, PostgresSettings.CreateStatistics, cancellationToken);
        }

        await RequireDurableAsync("; look for PGOPTIONS", cancellationToken);
    }

    /// <summary>Runs one statement in a separate session, outside any pool.</summary>
    private async Task ExecuteAsync(string connectionString, string sql, CancellationToken cancellationToken)
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
            throw new BackendException(
                $"'{sql}' failed on {Description}: "
                    + $"{exception.Message}{Environment.NewLine}{await Host.ReadLogTailAsync(cancellationToken)}",
                exception);
        }
    }

    [GeneratedRegex(@"^[A-Za-z_ ]{1,40}$", RegexOptions.CultureInvariant)]
    private static partial Regex Keyword();
}
