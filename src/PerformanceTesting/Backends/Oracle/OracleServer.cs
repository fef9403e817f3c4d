using System.Data.Common;
using System.Security.Cryptography;
using Foundation;
using PerformanceTesting.Backends.Containers;
using Workflow.Abstractions.Exceptions;
using Workflow.Stores.Oracle;
using Workflow.Stores.Oracle.Driver;

namespace PerformanceTesting.Backends.Oracle;

/// <summary>
/// An Oracle server, as a user who may create users; each test takes a new user with an empty schema.
/// </summary>
public sealed class OracleServer : BackendServer
{
    private const int Port = 1521;

    private static readonly SqlFile Statements = SqlFile.Of(typeof(OracleServer).Assembly, "server");
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(25);

    private readonly OracleDriver _driver;
    private readonly OracleTarget _target;
    private readonly ConcurrentDictionary<string, bool> _users = new(StringComparer.Ordinal);

    private OracleServer(OracleDriver driver, string connectionString, ServerInContainer? container)
        : base((ServerHost?)container ?? new ExternalHost($"{new OracleTarget(connectionString)}"))
    {
        _driver = driver;
        _target = new(connectionString);
        ConnectionString = connectionString;
    }

    public override ServerKind Kind => ServerKind.Oracle;

    public override string ConnectionString { get; }

    /// <summary>Connects once to a server that already runs.</summary>
    /// <param name="connectionString">Oracle's form; of a user who may create users, e.g. <c>system</c>.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, twenty seconds do.</param>
    /// <param name="driver">Oracle's driver; found at run time when omitted.</param>
    /// <exception cref="BackendException">
    /// There is no driver, it cannot be parsed, or nothing answers; names the target and the variable, never the
    /// password.
    /// </exception>
    public static async Task<OracleServer> ConnectAsync(
        string connectionString, string variable, CancellationToken cancellationToken, DbProviderFactory? driver = null)
    {
        try
        {
            var server = new OracleServer(LoadDriver(driver), connectionString, container: null);
            await server.ReadSettingsAsync(cancellationToken);
            return server;
        }
        catch (Exception exception)
            when (exception is StoreUnavailableException or ArgumentException or BackendException)
        {
            throw new BackendException(
                $"The server of {variable} cannot be used: {exception.Message} Correct {variable}, or unset it.",
                exception);
        }
    }

    /// <summary>
    /// Starts a server in a container and waits until it answers a query as durable as it is configured.
    /// </summary>
    /// <param name="engine">Starts it.</param>
    /// <param name="image">
    /// Under the contract of the images of gvenzl: <c>ORACLE_PASSWORD</c> is the password of <c>system</c>, and the
    /// pluggable database is
    /// <c>FREEPDB1</c>.
    /// </param>
    /// <param name="cancellationToken">
    /// Ends the wait; without it, five minutes do: a slim image unpacks its database first.
    /// </param>
    /// <param name="driver">Oracle's driver; found at run time when omitted.</param>
    /// <exception cref="BackendException">
    /// It does not start; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public static async Task<OracleServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken, DbProviderFactory? driver = null)
    {
        var oracle = LoadDriver(driver);
        var password = "p" + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(12));
        var request = new ContainerRequest
        {
            Kind = ServerKind.Oracle.Name,
            Image = image,
            Ports = [Port],
            Environment = new Dictionary<string, string> { ["ORACLE_PASSWORD"] = password },
            SharedMemoryBytes = 1L << 30,
            ReadyTimeout = TimeSpan.FromMinutes(5),
        };
        var container = await ServerInContainer.StartAsync(engine, request, AskAsync, cancellationToken);
        return await new OracleServer(oracle, Connect(container.Container, password), container)
            .PreparedAsync(server => server.RequireDurableAsync("", cancellationToken));

        async Task<string?> AskAsync(IServerContainer started, CancellationToken token)
        {
            try
            {
                await new OracleServer(oracle, Connect(started, password), container: null).ReadSettingsAsync(token);
                return null;
            }
            catch (BackendException exception)
            {
                return exception.Message.Split('\n')[0]
                    .TrimEnd(); // Until it is unpacked and open, its listener knows no such service.
            }
        }
    }

    /// <summary>Creates a user with an empty schema and returns its connection string.</summary>
    /// <exception cref="BackendException">The server refuses; the message holds its ORA number.</exception>
    public async Task<string> CreateUserAsync(CancellationToken cancellationToken)
    {
        var name = "WF_" + Convert.ToHexString(RandomNumberGenerator.GetBytes(8));
        var password = "p" + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(12));
        await AskAsync(
            session => session.RunAsync(
                Statements["create_user"], Limit, cancellationToken, Bind.Text("p_name", name),
                Bind.Text("p_password", password)),
            cancellationToken);
        var connectionString = new DbConnectionStringBuilder
        {
            ConnectionString = ConnectionString,
            ["User Id"] = name,
            ["Password"] = password,
        }.ConnectionString;
        _users[connectionString] = true;
        return connectionString;
    }

    /// <summary>Drops a user that <see cref="CreateUserAsync"/> made, ending whatever sessions it still has.</summary>
    public Task DropUserAsync(string connectionString, CancellationToken cancellationToken)
    {
        _users.TryRemove(connectionString, out _);
        var user = Bind.Text("p_name", new OracleTarget(connectionString).User);
        return AskAsync(
            session => session.RunAsync(Statements["drop_user"], Limit, cancellationToken, user), cancellationToken);
    }

    /// <summary>What the server has counted so far, by its own names.</summary>
    public Task<IReadOnlyList<KeyValuePair<string, double>>> ReadCountersAsync(CancellationToken cancellationToken) =>
        AskAsync(
        session => session.ListAsync(
            Statements["read_counters"],
            r => KeyValuePair.Create(r.GetString(0), Convert.ToDouble(r.GetValue(1), null)),
            Limit,
            cancellationToken),
        cancellationToken);

    /// <summary>
    /// Version and settings. A commit of an engine asks for durability itself, whatever the defaults are.
    /// </summary>
    /// <exception cref="BackendException">The server cannot be reached.</exception>
    public override async Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken)
    {
        var (version, settings) = await AskAsync(
            async session =>
            {
                var read =
                    await session.ListAsync(Sql.Schema["read_server"], r => r.GetString(0), Limit, cancellationToken);
                return (read[0], await session.ListAsync(
                    Statements["read_settings"], r => KeyValuePair.Create(r.GetString(0), r.GetString(1)), Limit,
                    cancellationToken));
            },
            cancellationToken);
        var values = new SortedDictionary<string, string>(settings.ToDictionary(), StringComparer.Ordinal);
        var isDurable = !values.TryGetValue("commit_wait", out var wait)
            || !wait.Equals("NOWAIT", StringComparison.OrdinalIgnoreCase);
        return new(version, values, isDurable ? [] : [$"commit_wait={wait}"]);
    }

    /// <summary>Users that tests left go, or the container with all of them.</summary>
    public override async ValueTask DisposeAsync()
    {
        foreach (var user in Host.Provision == ProvisionMode.External ? _users.Keys : [])
        {
            await DropUserAsync(user, CancellationToken.None);
        }

        await base.DisposeAsync();
    }

    /// <exception cref="BackendException">
    /// The driver is not part of this build; the message says how to add it.
    /// </exception>
    private static OracleDriver LoadDriver(DbProviderFactory? driver)
    {
        try
        {
            return OracleDriver.Load(driver);
        }
        catch (StoreUnavailableException exception)
        {
            throw new BackendException(exception.Message, exception);
        }
    }

    private static string Connect(IServerContainer container, string password) => new DbConnectionStringBuilder
    {
        ["Data Source"] = $"{container.Host}:{container.PortOf(Port)}/FREEPDB1", ["User Id"] = "system",
        ["Password"] = password,
    }.ConnectionString;

    private async Task<T> AskAsync<T>(Func<OracleSession, Task<T>> ask, CancellationToken cancellationToken)
    {
        try
        {
            await using var session = await OracleSession.OpenAsync(
                _driver, _target.Single(), TimeSpan.FromSeconds(15), TimeProvider.System, cancellationToken);
            return await ask(session);
        }
        catch (Exception exception) when (DriverErrors.IsDriverError(exception))
        {
            throw new BackendException(
                $"{DriverErrors.ToUnavailable(exception, _target).Message}{Environment.NewLine}"
                    + await Host.ReadLogTailAsync(cancellationToken),
                exception);
        }
    }
}
