using System.Net;
using System.Net.Sockets;
using Foundation;

namespace PerformanceTesting.Backends.Redis;

/// <summary>An installed Redis on a private directory, with every write forced to the append-only file.</summary>
internal sealed class RedisNative(string program, TimeProvider? time) : NativeServer(DirectoryKind, program, time)
{
    private const string DirectoryKind = "redis";
    private const string ProcessIdName = "redis.pid";
    private static readonly string[] UsualPlaces =
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/homebrew/opt/redis/bin"];
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

    public static async Task<RedisNative> StartAsync(
        string program, TimeProvider? time, CancellationToken cancellationToken)
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
            return await reader.ReadLineAsync(deadline.Token) == "+OK"
                && await reader.ReadLineAsync(deadline.Token) == "+PONG";
        }
        catch (Exception exception) when (exception is SocketException or IOException)
        {
            return false; // Not yet; the timeout and the server's exit bound the wait.
        }
    }
}
