using System.Security.Cryptography;
using PerformanceTesting.Backends.Containers;
using Npgsql;

namespace PerformanceTesting.Backends;

/// <summary>A durable PostgreSQL server in a container, with the settings of <see cref="NativePostgresServer"/> and a random password.</summary>
public sealed class ContainerPostgresServer : PostgresServer
{
    private const int Port = 5432;
    private const string Data = "/var/lib/postgresql/data";

    private readonly string _password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
    private ServerInContainer? _server;

    private ContainerPostgresServer()
    {
    }

    public override ProvisionMode Provision => ProvisionMode.Container;

    public override string Description => Server.Description;

    public override string LogTail => Server.Container.LogTail;

    public override int? ProcessId => Server.ProcessId;

    public override IServerContainer Container => Server.Container;

    /// <summary>By way of the kernel's view of the container, which is root's.</summary>
    public override string? ReachableDirectory =>
        ProcessId is { } id && Environment.IsPrivilegedProcess && $"/proc/{id}/root{Data}" is var path && Directory.Exists(path) ? path : null;

    public override string AdministrationConnectionString => Connect(Server.Container, "postgres");

    private ServerInContainer Server => _server ?? throw new InvalidOperationException("The server was not started.");

    /// <summary>Starts a server and waits until it answers a query.</summary>
    /// <param name="engine">Starts the container.</param>
    /// <param name="image">An image that is there, under the contract of the official one.</param>
    /// <param name="memoryDataBytes">When given, the data directory is held in memory of that size: a disk that can be filled.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start or is not durable; the message holds the end of its log. Nothing is left behind.</exception>
    public static async Task<ContainerPostgresServer> StartAsync(
        IContainerEngine engine, string image, long? memoryDataBytes, CancellationToken cancellationToken)
    {
        var server = new ContainerPostgresServer();
        var settings = PostgresSettings.OfOwnServers.Append(new("listen_addresses", "*"));
        var request = new ContainerRequest
        {
            Kind = ServerKind.Postgres,
            Image = image,
            Ports = [Port],
            Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = server._password, ["PGDATA"] = Data },
            Command = ["postgres", .. settings.SelectMany(setting => (string[])["-c", $"{setting.Key}={setting.Value}"])],
            MemoryDirectories = memoryDataBytes is { } size ? new Dictionary<string, long> { [Data] = size } : new Dictionary<string, long>(),
        };
        server._server = await ServerInContainer.StartAsync(
            engine, request, (container, token) => AskAsync(server.Connect(container, "postgres"), token), cancellationToken);
        try
        {
            await server.ExecuteAsync(server.Connect(server.Container, "template1"), PostgresSettings.CreateStatistics, cancellationToken);
            await server.RefuseUnlessDurableAsync(cancellationToken);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Ends the server as <c>kill -9</c> does.</summary>
    public Task KillAsync(CancellationToken cancellationToken) => Server.KillAsync(cancellationToken);

    /// <summary>Starts a killed server again, on the same port and data.</summary>
    /// <exception cref="BackendException">It does not come up.</exception>
    public Task StartAgainAsync(CancellationToken cancellationToken) => Server.StartAgainAsync(cancellationToken);

    public override ValueTask DisposeAsync() => Server.DisposeAsync();

    private string Connect(IServerContainer container, string database) =>
        new NpgsqlConnectionStringBuilder
        {
            Host = container.Host,
            Port = container.PortOf(Port),
            Username = "postgres",
            Password = _password,
            Database = database,
            PersistSecurityInfo = true,
        }.ConnectionString;
}
