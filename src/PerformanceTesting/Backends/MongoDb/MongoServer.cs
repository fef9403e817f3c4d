using System.Security.Cryptography;
using Foundation;
using PerformanceTesting.Backends.Containers;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>The primary of a MongoDB replica set; each test takes its own database.</summary>
public sealed class MongoServer : BackendServer
{
    internal const int Port = 27017;

    private readonly IMongoDriver _driver;
    private readonly IMongoLink _link;
    private readonly MongoAddress _address;
    private readonly ConcurrentDictionary<string, string> _databases = new(StringComparer.Ordinal);

    private MongoServer(ServerHost host, IMongoDriver driver, IMongoLink link, string connectionString, string variable)
        : base(host)
    {
        _driver = driver;
        _link = link;
        _address = MongoAddress.Parse(connectionString, variable);
        ConnectionString = connectionString;
    }

    public override ServerKind Kind => ServerKind.Mongo;

    public override string ConnectionString { get; }

    /// <summary>Connects once to a server that already runs, and sees whether it serves.</summary>
    /// <param name="driver">MongoDB's.</param>
    /// <param name="connectionString">Of an account that may make and drop databases.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, half a minute does.</param>
    /// <exception cref="BackendException">
    /// It cannot be parsed, nothing answers, or it does not serve; names the target and the variable, never the
    /// password.
    /// </exception>
    public static async Task<MongoServer> ConnectAsync(
        IMongoDriver driver, string connectionString, string variable, CancellationToken cancellationToken)
    {
        var address = MongoAddress.Parse(connectionString, variable);
        IMongoLink? link = null;
        try
        {
            link = driver.Open(connectionString);
            if (await MongoReplicaSet.AskAsync(link, initiateAs: null, cancellationToken) is { } refusal)
            {
                throw new BackendException($"{refusal}.");
            }

            return new MongoServer(new ExternalHost($"{address}"), driver, link, connectionString, variable);
        }
        catch (Exception exception)
        {
            link?.Dispose();
            if (exception is MongoRefusalException or BackendException)
            {
                throw new BackendException(
                    $"The server of {variable} ({address}) cannot be used: "
                        + $"{exception.Message} Correct {variable}, or unset it.",
                    exception);
            }

            throw;
        }
    }

    /// <summary>
    /// Starts a server in a container, makes a replica set of it and waits until it is its writable primary.
    /// </summary>
    /// <exception cref="BackendException">
    /// It does not come so far; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public static async Task<MongoServer> StartContainerAsync(
        IMongoDriver driver, IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        // Without accounts: a member of a set with accounts needs a key file of its own, and the port is published for
        // this machine alone.
        var request = new ContainerRequest
        {
            Kind = ServerKind.Mongo.Name,
            Image = image,
            Ports = [Port],
            Command = ["mongod", "--bind_ip_all", .. MongoNative.Arguments],
        };
        IMongoLink? link = null;
        ServerInContainer? container = null;
        try
        {
            container = await ServerInContainer.StartAsync(engine, request, AskAsync, cancellationToken);
            var server = new MongoServer(
                container, driver, link!, MongoNative.Connect(container.Container), ServerKind.Mongo.Variable);
            await server.RequireDurableAsync("", cancellationToken);
            return server;
        }
        catch
        {
            link?.Dispose();
            if (container is not null)
            {
                await container.DisposeAsync();
            }

            throw;
        }

        async Task<string?> AskAsync(IServerContainer started, CancellationToken token)
        {
            try
            {
                return await MongoReplicaSet.AskAsync(
                    link ??= driver.Open(MongoNative.Connect(started)), $"127.0.0.1:{Port}", token);
            }
            catch (MongoRefusalException exception)
            {
                return exception.Message;
            }
            catch (BackendException exception)
            {
                throw new BackendException($"The server of image {image} cannot be used: {exception.Message}",
                    exception);
            }
        }
    }

    /// <summary>
    /// Starts an installed mongod, makes a replica set of it and waits until it is its writable primary.
    /// </summary>
    /// <exception cref="BackendException">
    /// It does not come so far; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public static async Task<MongoServer> StartNativeAsync(
        IMongoDriver driver, string program, CancellationToken cancellationToken)
    {
        var native = await MongoNative.StartAsync(driver, program, cancellationToken);
        return await new MongoServer(native, driver, native.Link, native.ConnectionString, ServerKind.Mongo.Variable)
            .PreparedAsync(server => server.RequireDurableAsync("", cancellationToken));
    }

    /// <summary>A connection string with a new database, which the server creates with its first collection.</summary>
    public string NewDatabase()
    {
        var name = "wf_" + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(10));
        var connectionString = _address.In(name);
        _databases[connectionString] = name;
        return connectionString;
    }

    /// <summary>Drops a database that <see cref="NewDatabase"/> named.</summary>
    /// <exception cref="BackendException">The server refuses.</exception>
    public async Task DropDatabaseAsync(string connectionString, CancellationToken cancellationToken)
    {
        if (_databases.TryRemove(connectionString, out var name))
        {
            await RunAsync(name, """{ "dropDatabase": 1 }""", cancellationToken);
        }
    }

    /// <summary>An engine's store in a database.</summary>
    public IWorkflowStore CreateStore(string connectionString) => _driver.CreateStore(connectionString);

    /// <summary>Notifications by the changes of that store's inbox.</summary>
    public INotifier CreateNotifier(string connectionString, int lanes) =>
        _driver.CreateNotifier(connectionString, lanes);

    /// <summary>Runs a command, Extended JSON, and gives its reply.</summary>
    /// <exception cref="BackendException">
    /// The server refuses, or does not answer; the message holds the end of its log.
    /// </exception>
    public async Task<JsonElement> RunAsync(string database, string command, CancellationToken cancellationToken)
    {
        try
        {
            return await _link.RunAsync(database, command, cancellationToken);
        }
        catch (MongoRefusalException exception)
        {
            var roles = exception.Code == MongoRefusalException.Unauthorized
                ? " The account needs the roles clusterMonitor and readWriteAnyDatabase, and dbAdminAnyDatabase to drop what tests made."
                : "";
            throw new BackendException(
                $"{Description}: "
                    + $"{exception.Message}{roles}{Environment.NewLine}{await Host.ReadLogTailAsync(cancellationToken)}",
                    exception);
        }
    }

    /// <summary>Version and settings. The write concern of an engine is its own, whatever the defaults are.</summary>
    /// <exception cref="BackendException">The server cannot be reached.</exception>
    public override async Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await MongoSettings.ReadAsync(_link, cancellationToken);
        }
        catch (MongoRefusalException exception)
        {
            throw new BackendException(
                $"The settings of {Description} cannot be read: {exception.Message}{Environment.NewLine}"
                    + await Host.ReadLogTailAsync(cancellationToken),
                exception);
        }
    }

    /// <summary>Databases that tests left go, or the container or directory with all of them.</summary>
    public override async ValueTask DisposeAsync()
    {
        try
        {
            foreach (var database in Host.Provision == ProvisionMode.External ? _databases.Keys : [])
            {
                await DropDatabaseAsync(database, CancellationToken.None);
            }
        }
        finally
        {
            _link.Dispose();
            await base.DisposeAsync();
        }
    }
}
