using System.Security.Cryptography;
using Foundation;
using PerformanceTesting.Backends.Containers;
using StackExchange.Redis;
using Workflow.Notifications.Redis;

namespace PerformanceTesting.Backends.Redis;

/// <summary>A Redis server shared by the tests of one process, each with its own channel or keys.</summary>
public sealed class RedisServer : BackendServer
{
    private const int Port = 6379;
    private readonly Func<string> _connectionString;

    private RedisServer(ServerHost host, Func<string> connectionString)
        : base(host) => _connectionString = connectionString;

    public override ServerKind Kind => ServerKind.Redis;
    public override string ConnectionString => _connectionString();

    public static async Task<RedisServer> ConnectAsync(
        string connectionString, string variable, CancellationToken cancellationToken)
    {
        if (RedisNotifierOptions.FindConnectionProblem(connectionString) is { } reason)
        {
            throw new BackendException($"{variable} {reason}.");
        }

        var target = RedisSession.Describe(ConfigurationOptions.Parse(connectionString));
        string version;
        try
        {
            await using var session = await RedisSession.OpenAsync(connectionString, cancellationToken);
            version =
                (await session.InfoAsync("server", cancellationToken)).GetValueOrDefault("redis_version") ?? "unknown";
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            throw new BackendException(
                $"The server of {variable} ({target}) cannot be used: {exception.Message} Check host, port and "
                    + $"password in {variable}, start that server, or unset {variable} to have one started natively.",
                exception);
        }

        return RedisSession.Serves(version)
            ? new RedisServer(new ExternalHost($"{target}, Redis {version}"), () => connectionString)
            : throw new BackendException(
                $"The server of {variable} ({target}) is Redis {version}; {RedisSession.OldestVersion} is the oldest "
                    + $"supported version. Name a newer one in {variable}, or unset it.");
    }

    public static async Task<RedisServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        var password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
        var settings = RedisSettings.OfOwnServers.Append(new("bind", "*")).Append(new("requirepass", password));
        var request = new ContainerRequest
        {
            Kind = ServerKind.Redis.Name,
            Image = image,
            Ports = [Port],
            Command =
                ["redis-server", .. settings.SelectMany(setting => (string[])[$"--{setting.Key}", setting.Value])],
        };
        var container = await ServerInContainer.StartAsync(engine, request, AskAsync, cancellationToken);
        return await new RedisServer(container, () => Connect(container.Container))
            .PreparedAsync(server => server.RequireDurableAsync("", cancellationToken));

        string Connect(IServerContainer started) => $"{started.Host}:{started.PortOf(Port)},password={password}";

        async Task<string?> AskAsync(IServerContainer started, CancellationToken token)
        {
            try
            {
                await using var session = await RedisSession.OpenAsync(Connect(started), token);
                await session.ExecuteAsync(token, "PING");
                return null;
            }
            catch (Exception exception) when (RedisSession.IsRefusal(exception))
            {
                return exception.Message;
            }
        }
    }

    public static async Task<RedisServer> StartNativeAsync(
        string program, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        var native = await RedisNative.StartAsync(program, time, cancellationToken);
        return await new RedisServer(native, () => $"127.0.0.1:{native.Port},password={native.Password}")
            .PreparedAsync(server => server.RequireDurableAsync("", cancellationToken));
    }

    /// <summary>Version and settings as CONFIG GET gives them.</summary>
    /// <exception cref="BackendException">The server cannot be reached.</exception>
    public override async Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken)
    {
        try
        {
            await using var session = await RedisSession.OpenAsync(ConnectionString, cancellationToken);
            return await RedisSettings.ReadAsync(session, cancellationToken);
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            throw new BackendException(
                $"The settings of {Description} cannot be read: {exception.Message}{Environment.NewLine}"
                    + await Host.ReadLogTailAsync(cancellationToken),
                exception);
        }
    }
}
