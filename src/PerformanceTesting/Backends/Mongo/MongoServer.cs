using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text.Json;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends.Containers;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace PerformanceTesting.Backends.Mongo;

/// <summary>The primary of a MongoDB replica set; each test takes a database of its own.</summary>
public sealed class MongoServer : BackendServer
{
    internal const int Port = 27017;

    private readonly IMongoDriver _driver;
    private readonly IMongoLink _link;
    private readonly MongoAddress _address;
    private readonly ServerInContainer? _container;
    private readonly MongoProcess? _process;
    private readonly ConcurrentDictionary<string, string> _databases = new(StringComparer.Ordinal);

    private MongoServer(IMongoDriver driver, IMongoLink link, string connectionString, string variable, ServerInContainer? container = null, MongoProcess? process = null)
    {
        _driver = driver;
        _link = link;
        _address = MongoAddress.Parse(connectionString, variable);
        _container = container;
        _process = process;
        ConnectionString = connectionString;
    }

    public override ServerKind Kind => ServerKind.Mongo;

    public override ProvisionMode Provision =>
        _container is not null ? ProvisionMode.Container : _process is not null ? ProvisionMode.Native : ProvisionMode.External;

    public override string Description => _container?.Description ?? _process?.Description ?? $"external server ({_address})";

    public override string ConnectionString { get; }

    public override string LogTail => _container?.Container.LogTail ?? _process?.LogTail ?? "The log of an external server is not in reach.";

    public override int? ProcessId => _container?.ProcessId ?? _process?.ProcessId;

    /// <summary>The private directory of a server started from installed programs: log, data; else null.</summary>
    public string? DirectoryPath => _process?.DirectoryPath;

    public override IServerContainer? Container => _container?.Container;

    /// <summary>Connects once to a server that already runs, and sees whether it serves.</summary>
    /// <param name="driver">MongoDB's.</param>
    /// <param name="connectionString">Of an account that may make and drop databases.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, half a minute does.</param>
    /// <exception cref="BackendException">It cannot be parsed, nothing answers, or it does not serve; names the target and the variable, never the password.</exception>
    public static async Task<MongoServer> ConnectAsync(IMongoDriver driver, string connectionString, string variable, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(driver);
        var address = MongoAddress.Parse(connectionString, variable);
        IMongoLink? link = null;
        try
        {
            link = driver.Open(connectionString);
            if (await MongoReplicaSet.AskAsync(link, initiateAs: null, cancellationToken) is { } refusal)
            {
                throw new BackendException($"{refusal}.");
            }

            return new MongoServer(driver, link, connectionString, variable);
        }
        catch (Exception exception)
        {
            link?.Dispose();
            if (exception is MongoRefusalException or BackendException)
            {
                throw new BackendException($"The server of {variable} ({address}) cannot be used: {exception.Message} Correct {variable}, or unset it.", exception);
            }

            throw;
        }
    }

    /// <summary>Starts a server in a container, makes a replica set of it and waits until it is its writable primary.</summary>
    /// <exception cref="BackendException">It does not come so far; the message holds the end of its log. Nothing is left behind.</exception>
    public static async Task<MongoServer> StartAsync(IMongoDriver driver, IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(driver);

        // Without accounts: a member of a set with accounts needs a key file of its own, and the port is published for this machine alone.
        var request = new ContainerRequest
        {
            Kind = ServerKind.Mongo,
            Image = image,
            Ports = [Port],
            Command = ["mongod", "--bind_ip_all", .. MongoProcess.Arguments],
        };
        IMongoLink? link = null;
        ServerInContainer? container = null;
        try
        {
            container = await ServerInContainer.StartAsync(engine, request, AskAsync, cancellationToken);
            var server = new MongoServer(driver, link!, Connect(container.Container), ServerKind.Mongo.Variable, container);
            return await server.RequireDurableAsync(cancellationToken);
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
                return await MongoReplicaSet.AskAsync(link ??= driver.Open(Connect(started)), $"127.0.0.1:{Port}", token);
            }
            catch (MongoRefusalException exception)
            {
                return exception.Message;
            }
            catch (BackendException exception)
            {
                throw new BackendException($"The server of image {image} cannot be used: {exception.Message}", exception);
            }
        }
    }

    /// <summary>Starts an installed mongod, makes a replica set of it and waits until it is its writable primary.</summary>
    /// <exception cref="BackendException">It does not come so far; the message holds the end of its log. Nothing is left behind.</exception>
    public static async Task<MongoServer> StartAsync(IMongoDriver driver, string binary, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(driver);
        var process = MongoProcess.Start(binary);
        var connectionString = Connect("127.0.0.1", process.Port);
        var server = new MongoServer(driver, driver.Open(connectionString), connectionString, ServerKind.Mongo.Variable, process: process);
        try
        {
            await process.WaitUntilReadyAsync(server, server.AnswersAsync, cancellationToken);
            return await server.RequireDurableAsync(cancellationToken);
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>A connection string with a database that nobody else uses; the server makes it with its first collection.</summary>
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
    public INotifier CreateNotifier(string connectionString, int lanes) => _driver.CreateNotifier(connectionString, lanes);

    /// <summary>What lies below any system on this server; takes some two seconds.</summary>
    /// <exception cref="BackendException">The server went away, or does not acknowledge.</exception>
    public Task<CeilingsResult> MeasureCeilingsAsync(CancellationToken cancellationToken) => new MongoCeilings(this).MeasureAsync(cancellationToken);

    /// <summary>Runs a command, Extended JSON, and gives its reply.</summary>
    /// <exception cref="BackendException">The server refuses, or does not answer; the message holds the end of its log.</exception>
    public async Task<JsonElement> RunAsync(string database, string command, CancellationToken cancellationToken)
    {
        try
        {
            return await _link.RunAsync(database, command, cancellationToken);
        }
        catch (MongoRefusalException exception)
        {
            var roles = exception.Code == MongoRefusalException.Unauthorized ? " The account needs the roles clusterMonitor and readWriteAnyDatabase, and dbAdminAnyDatabase to drop what tests made." : "";
            throw new BackendException($"{Description}: {exception.Message}{roles}{Environment.NewLine}{LogTail}", exception);
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
            throw new BackendException($"{Description} does not tell its settings: {exception.Message}{Environment.NewLine}{LogTail}", exception);
        }
    }

    /// <summary>Databases that tests left go, or the container or directory with all of them.</summary>
    public override async ValueTask DisposeAsync()
    {
        try
        {
            foreach (var database in Provision == ProvisionMode.External ? _databases.Keys : [])
            {
                await DropDatabaseAsync(database, CancellationToken.None);
            }
        }
        finally
        {
            _link.Dispose();
            if (_container is not null)
            {
                await _container.DisposeAsync();
            }

            if (_process is not null)
            {
                await _process.EndAsync(this);
            }
        }
    }

    private static string Connect(IServerContainer container) => Connect(container.Host, container.PortOf(Port));

    private static string Connect(string host, int port) => $"mongodb://{host}:{port}/?directConnection=true";

    private async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await MongoReplicaSet.AskAsync(_link, $"127.0.0.1:{_process!.Port}", cancellationToken) is null;
        }
        catch (MongoRefusalException)
        {
            return false; // Not yet; the caller's deadline and the server's exit bound the wait.
        }
    }

    private async Task<MongoServer> RequireDurableAsync(CancellationToken cancellationToken)
    {
        var settings = await ReadSettingsAsync(cancellationToken);
        return settings.IsDurable ? this : throw new BackendException($"{Description} was configured durable but says it is {settings.Durability}.");
    }
}
