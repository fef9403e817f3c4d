using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using Foundation;
using PerformanceTesting.Backends.Containers;
using StackExchange.Redis;
using Workflow.Notifications.Redis;

namespace PerformanceTesting.Backends.Redis;

/// <summary>A Redis server shared by the tests of one process, each with a channel or keys of its own.</summary>
public sealed class RedisServer : BackendServer
{
    private const int Port = 6379;
    private readonly Func<string> _connectionString;

    private RedisServer(ServerHost host, Func<string> connectionString)
        : base(host) => _connectionString = connectionString;

    public override ServerKind Kind => ServerKind.Redis;
    public override string ConnectionString => _connectionString();

    public static async Task<RedisServer> ConnectAsync(string connectionString, string variable, CancellationToken cancellationToken)
    {
        if (RedisNotifierOptions.WhyUnusable(connectionString) is { } reason)
        {
            throw new BackendException($"{variable} {reason}.");
        }

        var target = RedisSession.Describe(ConfigurationOptions.Parse(connectionString));
        string version;
        try
        {
            await using var session = await RedisSession.OpenAsync(connectionString, cancellationToken);
            version = (await session.InfoAsync("server", cancellationToken)).GetValueOrDefault("redis_version") ?? "unknown";
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            throw new BackendException(
                $"The server of {variable} ({target}) cannot be used: {exception.Message} Check host, port and password in {variable}, "
                    + $"start that server, or unset {variable} to have one started natively.",
                exception);
        }

        return RedisSession.Serves(version)
            ? new RedisServer(new ExternalHost($"{target}, Redis {version}"), () => connectionString)
            : throw new BackendException(
                $"The server of {variable} ({target}) is Redis {version}; {RedisSession.OldestVersion} is the oldest that serves. "
                    + $"Name a newer one in {variable}, or unset it.");
    }

    public static async Task<RedisServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        var password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
        var settings = RedisSettings.OfOwnServers.Append(new("bind", "*")).Append(new("requirepass", password));
        var request = new ContainerRequest
        {
            Kind = ServerKind.Redis.Name,
            Image = image,
            Ports = [Port],
            Command = ["redis-server", .. settings.SelectMany(setting => (string[])[$"--{setting.Key}", setting.Value])],
        };
        var container = await ServerInContainer.StartAsync(engine, request, AskAsync, cancellationToken);
        return await new RedisServer(new ContainerHost(container), () => Connect(container.Container))
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
        return await new RedisServer(new NativeHost(native), () => $"127.0.0.1:{native.Port},password={native.Password}")
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
                    + await ReadLogTailAsync(cancellationToken),
                exception);
        }
    }
}

/// <summary>An installed Redis on a private directory, with every write forced to the append-only file.</summary>
internal sealed class RedisNative(string program, TimeProvider? time) : NativeServer(DirectoryKind, program, time)
{
    private const string DirectoryKind = "redis";
    private const string ProcessIdName = "redis.pid";
    private static readonly string[] UsualPlaces = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/homebrew/opt/redis/bin"];
    private readonly string _program = program;

    /// <summary>Where an installed server is looked for.</summary>
    public static string Places { get; } = $"PATH, {string.Join(", ", UsualPlaces)}";

    protected override string ProcessIdFile => ProcessIdName;
    protected override TimeSpan StartTimeout => TimeSpan.FromMinutes(1);
    protected override TimeSpan Pause => TimeSpan.FromMilliseconds(10);
    protected override string PortTaken => "Address already in use";

    /// <summary>Finds an installed server.</summary>
    /// <returns>Null when there is none; on Windows there is none.</returns>
    public static string? FindProgram() => FindProgram("redis-server", UsualPlaces);

    public static async Task<RedisNative> StartAsync(string program, TimeProvider? time, CancellationToken cancellationToken)
    {
        OwnedDirectory.RemoveAbandoned(DirectoryKind, ProcessIdName);
        return await new RedisNative(program, time).PreparedAsync(server =>
        {
            Directory.CreateDirectory(server.DirectoryPath);
            return server.StartAsync(cancellationToken);
        });
    }

    protected override async Task ConfigureAsync(CancellationToken cancellationToken)
    {
        File.Delete(PathOf(ProcessIdName));
        await WritePrivateAsync(
            "redis.conf",
            $"""
            port {Port}
            bind 127.0.0.1
            protected-mode yes
            requirepass {Password}
            dir "{DirectoryPath}"
            pidfile "{PathOf(ProcessIdName)}"
            daemonize no
            {string.Join('\n', RedisSettings.OfOwnServers.Select(setting => $"{setting.Key} \"{setting.Value}\""))}

            """,
            cancellationToken);
    }

    protected override IReadOnlyList<string> CommandLine() => [_program, PathOf("redis.conf")];

    /// <summary>It is ready once PING is answered to the password, which while it loads its data is an error.</summary>
    protected override async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(StartTimeout);
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync(IPAddress.Loopback, Port, deadline.Token);
            await using var stream = client.GetStream();
            using var reader = new StreamReader(stream);
            await stream.WriteAsync(Encoding.ASCII.GetBytes($"AUTH {Password}\r\nPING\r\n"), deadline.Token);
            return await reader.ReadLineAsync(deadline.Token) == "+OK" && await reader.ReadLineAsync(deadline.Token) == "+PONG";
        }
        catch (Exception exception) when (exception is SocketException or IOException)
        {
            return false; // Not yet; the timeout and the server's exit bound the wait.
        }
    }
}

/// <summary>Provides Redis servers.</summary>
/// <param name="findProgram">Finds the installed server program; the usual places when omitted.</param>
internal sealed class RedisProvider(Func<string?>? findProgram = null) : ServerProvider
{
    public override ServerKind Kind => ServerKind.Redis;

    public override string HowToEnable { get; } =
        (OperatingSystem.IsMacOS() ? "brew install redis" : "apt-get install -y redis-server") +
        $", or export {ServerKind.Redis.Variable}='127.0.0.1:6379,password=...'";

    public override ContainerImage Image { get; } = new(ServerKind.Redis.Name, "redis:7.4.5", "workflow-perf/redis:7.0");

    public override async Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        await RedisServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await RedisServer.StartContainerAsync(engine, image, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        (findProgram ?? RedisNative.FindProgram)() is { } program
            ? ProvisionOutcome.Of(await RedisServer.StartNativeAsync(program, cancellationToken: cancellationToken))
            : ProvisionOutcome.Refused($"no redis-server found in {RedisNative.Places}");
}
