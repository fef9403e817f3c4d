using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace PerformanceTesting.Backends;

/// <summary>
/// A durable Redis server of our own: installed program, private directory, free port on 127.0.0.1, random password, every write forced to
/// the append-only file. It ends with this process, whatever way that ends, and can be killed, paused and started again for fault tests.
/// </summary>
public sealed class NativeRedisServer : RedisServer
{
    private const int PortAttempts = 3;
    private const int LogTailLines = 40;
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);
    private static readonly string[] UsualPlaces = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/homebrew/opt/redis/bin"];

    private readonly string _binary;
    private readonly TimeProvider _time;
    private readonly string _password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
    private GuardedProcess? _process;
    private int _port;

    private NativeRedisServer(string binary, TimeProvider time)
    {
        _binary = binary;
        _time = time;
        DirectoryPath = Path.Combine(Path.GetTempPath(), OwnedDirectory.NewName(OwnedDirectory.Redis));
    }

    /// <summary>Where an installed server is looked for.</summary>
    public static string Places { get; } = $"PATH, {string.Join(", ", UsualPlaces)}";

    public override ProvisionMode Provision => ProvisionMode.Native;

    public override string Description => $"native server (host=127.0.0.1, port={_port}, {_binary})";

    public override string ConnectionString => $"127.0.0.1:{_port},password={_password}";

    public override string LogTail => File.Exists(LogFile)
        ? $"Last lines of the server's log:{Environment.NewLine}{string.Join(Environment.NewLine, File.ReadLines(LogFile).TakeLast(LogTailLines))}"
        : "The server has written no log.";

    public override int? ProcessId =>
        _process is { HasExited: false } && File.Exists(ProcessIdFile) && int.TryParse(File.ReadAllText(ProcessIdFile), CultureInfo.InvariantCulture, out var id) ? id : null;

    /// <summary>The private directory: settings, log, data.</summary>
    public string DirectoryPath { get; }

    private string LogFile => Path.Combine(DirectoryPath, "server.log");

    private string ProcessIdFile => Path.Combine(DirectoryPath, "redis.pid");

    /// <summary>Finds an installed server.</summary>
    /// <returns>Null when there is none; on Windows there is none.</returns>
    public static string? FindBinary() => InstalledProgram.Find("redis-server", UsualPlaces);

    /// <summary>Removes what killed runs left, starts a server and waits until it answers.</summary>
    /// <param name="binary">The server program.</param>
    /// <param name="time">Clock of the deadlines; the system's when omitted.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start or is not durable; the message holds the end of its log.</exception>
    public static async Task<NativeRedisServer> StartAsync(string binary, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        ServerLeftovers.Remove(OwnedDirectory.Redis, "redis.pid");
        var server = new NativeRedisServer(binary, time ?? TimeProvider.System);
        try
        {
            Directory.CreateDirectory(server.DirectoryPath);
            for (var attempt = 1; !await server.TryStartAsync(LoopbackPort.Free(), cancellationToken); attempt++)
            {
                if (attempt >= PortAttempts || !server.LogTail.Contains("Address already in use", StringComparison.Ordinal))
                {
                    throw new BackendException($"{server.Description} did not start.{Environment.NewLine}{server.LogTail}");
                }
            }

            var settings = await server.ReadSettingsAsync(cancellationToken);
            return settings.IsDurable ? server : throw new BackendException($"{server.Description} was configured durable but says it is {settings.Durability}.");
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Kills the server without a word (<c>kill -9</c>) and waits until it is gone.</summary>
    public async Task KillAsync(CancellationToken cancellationToken)
    {
        using (var process = Process.GetProcessById(ProcessId ?? throw new BackendException($"{Description} does not run, so it cannot be killed. Start it first.")))
        {
            process.Kill();
        }

        await EndAsync(cancellationToken);
    }

    /// <summary>Starts a killed server again, on the same port and data.</summary>
    /// <exception cref="BackendException">It runs, or does not come up.</exception>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_process is not null)
        {
            throw new BackendException($"{Description} runs already. Kill it first.");
        }

        if (!await TryStartAsync(_port, cancellationToken))
        {
            throw new BackendException($"{Description} did not start again.{Environment.NewLine}{LogTail}");
        }
    }

    /// <summary>Makes the server stop answering without closing a connection (SIGSTOP).</summary>
    public Task PauseAsync(CancellationToken cancellationToken) => GuardedProcess.SignalAsync(this, "STOP", cancellationToken);

    /// <summary>Ends <see cref="PauseAsync"/>.</summary>
    public Task ContinueAsync(CancellationToken cancellationToken) => GuardedProcess.SignalAsync(this, "CONT", cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            if (ProcessId is not null)
            {
                await GuardedProcess.SignalAsync(this, "KILL", CancellationToken.None); // Nothing in it is wanted any more; a paused one would not hear anything else.
            }

            await EndAsync(CancellationToken.None);
        }

        if (Directory.Exists(DirectoryPath))
        {
            Directory.Delete(DirectoryPath, recursive: true);
        }
    }

    private string Settings() =>
        $"""
        port {_port}
        bind 127.0.0.1
        protected-mode yes
        requirepass {_password}
        dir "{DirectoryPath}"
        pidfile "{ProcessIdFile}"
        daemonize no
        {string.Join('\n', RedisSettings.OfOwnServers.Select(setting => $"{setting.Key} \"{setting.Value}\""))}

        """;

    private async Task<bool> TryStartAsync(int port, CancellationToken cancellationToken)
    {
        _port = port;
        var settings = Path.Combine(DirectoryPath, "redis.conf");
        File.Delete(ProcessIdFile);
        await File.WriteAllTextAsync(settings, Settings(), cancellationToken);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(settings, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        _process = GuardedProcess.Start(DirectoryPath, ProcessIdFile, [_binary, settings]);
        if (await _process.AnswersAsync(this, AnswersAsync, Deadline, Pause, _time, cancellationToken))
        {
            return true;
        }

        await EndAsync(cancellationToken);
        return false;
    }

    /// <summary>It is ready once PING is answered to the password, which while it loads its data is an error.</summary>
    private async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(Deadline);
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync(IPAddress.Loopback, _port, deadline.Token);
            await using var stream = client.GetStream();
            using var reader = new StreamReader(stream);
            await stream.WriteAsync(System.Text.Encoding.ASCII.GetBytes($"AUTH {_password}\r\nPING\r\n"), deadline.Token);
            return await reader.ReadLineAsync(deadline.Token) == "+OK" && await reader.ReadLineAsync(deadline.Token) == "+PONG";
        }
        catch (Exception exception) when (exception is SocketException or IOException)
        {
            return false; // Not yet; the caller's deadline and the server's exit bound the wait.
        }
    }

    private async Task EndAsync(CancellationToken cancellationToken)
    {
        await _process!.EndAsync(Deadline, _time, cancellationToken);
        _process = null;
    }
}
