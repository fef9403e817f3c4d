using System.Security.Cryptography;
using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>A durable Redis server in a container, with the settings of <see cref="NativeRedisServer"/> and a random password.</summary>
public sealed class ContainerRedisServer : RedisServer
{
    private const int Port = 6379;

    private readonly string _password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
    private ServerInContainer? _server;

    private ContainerRedisServer()
    {
    }

    public override ProvisionMode Provision => ProvisionMode.Container;

    public override string Description => Server.Description;

    public override string LogTail => Server.Container.LogTail;

    public override int? ProcessId => Server.ProcessId;

    public override IServerContainer Container => Server.Container;

    public override string ConnectionString => Connect(Container);

    private ServerInContainer Server => _server ?? throw new InvalidOperationException("The server was not started.");

    /// <summary>Starts a server and waits until it answers.</summary>
    /// <param name="engine">Starts the container.</param>
    /// <param name="image">An image that is there, under the contract of the official one.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start or is not durable; the message holds the end of its log. Nothing is left behind.</exception>
    public static async Task<ContainerRedisServer> StartAsync(IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        var server = new ContainerRedisServer();
        var settings = RedisSettings.OfOwnServers.Append(new("bind", "*")).Append(new("requirepass", server._password));
        var request = new ContainerRequest
        {
            Kind = ServerKind.Redis,
            Image = image,
            Ports = [Port],
            Command = ["redis-server", .. settings.SelectMany(setting => (string[])[$"--{setting.Key}", setting.Value])],
        };
        server._server = await ServerInContainer.StartAsync(engine, request, server.AskAsync, cancellationToken);
        try
        {
            var read = await server.ReadSettingsAsync(cancellationToken);
            return read.IsDurable ? server : throw new BackendException($"{server.Description} was configured durable but says it is {read.Durability}.");
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

    private string Connect(IServerContainer container) => $"{container.Host}:{container.PortOf(Port)},password={_password}";

    private async Task<string?> AskAsync(IServerContainer container, CancellationToken cancellationToken)
    {
        try
        {
            await using var session = await RedisSession.OpenAsync(Connect(container), cancellationToken);
            await session.ExecuteAsync(cancellationToken, "PING");
            return null;
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            return exception.Message;
        }
    }
}
