using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography;
using PerformanceTesting.Backends.Collectors;
using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends;

/// <summary>
/// A RabbitMQ broker of our own: installed program, private directory, node name, port mapper and cookie, free ports on 127.0.0.1, random password, the
/// Prometheus plugin. It ends with this process, whatever way that ends, and can be stopped, killed, paused and started again for fault tests.
/// </summary>
public sealed class NativeRabbitMqServer : RabbitMqServer
{
    private const string ProcessIdName = "broker.pid";
    private const string MapperIdName = "mapper.pid";
    private const int PortAttempts = 3;
    private const int LogTailLines = 40;

    // The node's port mapper (epmd) would otherwise be the machine's, started as a daemon that outlives us.
    private const string Launcher = """
        epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT" & mapper=$!
        echo "$mapper" >"$HOME/mapper.pid"
        "$1"; code=$?
        kill -KILL "$mapper"; wait "$mapper"
        exit "$code"
        """;

    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan ExitDeadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    // Not the PATH: what distributions put there changes the user and forgets the environment.
    private static readonly string[] UsualPlaces =
        ["/usr/lib/rabbitmq/bin", "/opt/rabbitmq/sbin", "/opt/homebrew/opt/rabbitmq/sbin", "/usr/local/opt/rabbitmq/sbin"];

    private readonly string _program;
    private readonly TimeProvider _time;
    private readonly string _password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
    private GuardedProcess? _process;
    private int _port;
    private int _metricsPort;

    private NativeRabbitMqServer(string program, TimeProvider time)
    {
        _program = program;
        _time = time;
        DirectoryPath = Path.Combine(Path.GetTempPath(), OwnedDirectory.NewName(OwnedDirectory.RabbitMq));
    }

    /// <summary>Where an installed broker is looked for.</summary>
    public static string Places { get; } = string.Join(", ", UsualPlaces);

    public override ProvisionMode Provision => ProvisionMode.Native;

    public override string Description => $"native server (host=127.0.0.1, port={_port}, {_program})";

    public override string ConnectionString => $"amqp://workflow:{_password}@127.0.0.1:{_port}/";

    public override RabbitMqTarget Target =>
        RabbitMqTarget.TryParse(ConnectionString, out var target, out var problem) ? target : throw new BackendException($"{Description}: {problem}");

    public override Uri MetricsAddress => new($"http://127.0.0.1:{_metricsPort}/metrics");

    public override string LogTail => File.Exists(LogFile)
        ? $"Last lines of the server's log:{Environment.NewLine}{string.Join(Environment.NewLine, File.ReadLines(LogFile).TakeLast(LogTailLines))}"
        : "The server has written no log.";

    public override int? ProcessId => IdIn(ProcessIdName);

    /// <summary>The process of the node's port mapper while the broker runs, else null.</summary>
    public int? MapperId => IdIn(MapperIdName);

    /// <summary>The private directory: settings, log, data.</summary>
    public string DirectoryPath { get; }

    private string LogFile => Path.Combine(DirectoryPath, "server.log");

    private string ProcessIdFile => Path.Combine(DirectoryPath, ProcessIdName);

    /// <summary>Finds an installed broker.</summary>
    /// <returns>Null when there is none; on Windows there is none.</returns>
    public static string? FindProgram() => OperatingSystem.IsWindows()
        ? null
        : UsualPlaces.Select(directory => Path.Combine(directory, "rabbitmq-server")).FirstOrDefault(File.Exists);

    /// <summary>Removes what killed runs left, starts a broker and waits until it answers.</summary>
    /// <param name="program">The server program.</param>
    /// <param name="time">Clock of the deadlines; the system's when omitted.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start; the message holds the end of its log.</exception>
    public static async Task<NativeRabbitMqServer> StartAsync(string program, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        ServerLeftovers.Remove(OwnedDirectory.RabbitMq, ProcessIdName, MapperIdName);
        var server = new NativeRabbitMqServer(program, time ?? TimeProvider.System);
        try
        {
            Directory.CreateDirectory(server.DirectoryPath);
            for (var attempt = 1; ; attempt++)
            {
                await server.ConfigureAsync(cancellationToken);
                if (await server.TryStartAsync(cancellationToken))
                {
                    return server;
                }

                if (attempt >= PortAttempts || !server.LogTail.Contains("eaddrinuse", StringComparison.Ordinal))
                {
                    throw new BackendException($"{server.Description} did not start.{Environment.NewLine}{server.LogTail}");
                }
            }
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Stops the broker in order (SIGTERM) and waits until it is gone.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await GuardedProcess.SignalAsync(this, "TERM", cancellationToken);
        await EndAsync(cancellationToken);
    }

    /// <summary>Kills the broker without a word (<c>kill -9</c>) and waits until it is gone.</summary>
    public async Task KillAsync(CancellationToken cancellationToken)
    {
        var start = _time.GetTimestamp();
        while (ProcessId is null && _process is { HasExited: false } && _time.GetElapsedTime(start) < ExitDeadline)
        {
            await Task.Delay(Pause, _time, cancellationToken); // It writes its id a moment after its start.
        }

        try
        {
            using var process = Process.GetProcessById(ProcessId ?? throw new BackendException($"{Description} does not run, so it cannot be killed. Start it first."));
            process.Kill();
        }
        catch (ArgumentException)
        {
            // It has ended meanwhile.
        }

        await EndAsync(cancellationToken);
    }

    /// <summary>Starts a stopped or killed broker again, on the same ports and data.</summary>
    /// <exception cref="BackendException">It runs, or does not come up within a minute.</exception>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_process is not null)
        {
            throw new BackendException($"{Description} runs already. Stop or kill it first.");
        }

        if (!await TryStartAsync(cancellationToken))
        {
            throw new BackendException($"{Description} did not start again.{Environment.NewLine}{LogTail}");
        }
    }

    /// <summary>Makes the broker stop answering without closing a connection (SIGSTOP).</summary>
    public Task PauseAsync(CancellationToken cancellationToken) => GuardedProcess.SignalAsync(this, "STOP", cancellationToken);

    /// <summary>Ends <see cref="PauseAsync"/>.</summary>
    public Task ContinueAsync(CancellationToken cancellationToken) => GuardedProcess.SignalAsync(this, "CONT", cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await KillAsync(CancellationToken.None); // Nothing in it is wanted any more; a paused one would not hear anything else.
        }

        if (Directory.Exists(DirectoryPath))
        {
            Directory.Delete(DirectoryPath, recursive: true);
        }
    }

    private int? IdIn(string name) =>
        _process is { HasExited: false } && File.Exists(PathOf(name)) && int.TryParse(File.ReadAllText(PathOf(name)), CultureInfo.InvariantCulture, out var id) ? id : null;

    private string PathOf(string name) => Path.Combine(DirectoryPath, name);

    private async Task ConfigureAsync(CancellationToken cancellationToken)
    {
        (_port, _metricsPort) = (LoopbackPort.Free(), LoopbackPort.Free());
        await File.WriteAllTextAsync(PathOf("enabled_plugins"), "[rabbitmq_prometheus].\n", cancellationToken);
        await File.WriteAllTextAsync(PathOf("environment"), "", cancellationToken); // In place of the machine's own.
        await File.WriteAllTextAsync(PathOf("broker.conf"), "", cancellationToken);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(PathOf("broker.conf"), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        await File.WriteAllTextAsync(
            PathOf("broker.conf"),
            $"""
            listeners.tcp.1 = 127.0.0.1:{_port}
            prometheus.tcp.ip = 127.0.0.1
            prometheus.tcp.port = {_metricsPort}
            default_user = workflow
            default_pass = {_password}
            log.console = true
            log.console.level = warning

            """,
            cancellationToken);
    }

    private Dictionary<string, string> Variables() => new()
    {
        ["HOME"] = DirectoryPath,
        ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
        ["ERL_EPMD_PORT"] = $"{LoopbackPort.Free()}",
        ["ERL_CRASH_DUMP"] = PathOf("crash.dump"),
        ["RABBITMQ_NODENAME"] = $"workflow-{Environment.ProcessId}@127.0.0.1",
        ["RABBITMQ_USE_LONGNAME"] = "true",
        ["RABBITMQ_DIST_PORT"] = $"{LoopbackPort.Free()}",
        ["RABBITMQ_BASE"] = DirectoryPath,
        ["RABBITMQ_MNESIA_BASE"] = PathOf("data"),
        ["RABBITMQ_LOG_BASE"] = PathOf("log"),
        ["RABBITMQ_LOGS"] = "-",
        ["RABBITMQ_GENERATED_CONFIG_DIR"] = PathOf("generated"),
        ["RABBITMQ_CONFIG_FILE"] = PathOf("broker.conf"),
        ["RABBITMQ_ADVANCED_CONFIG_FILE"] = PathOf("advanced.config"),
        ["RABBITMQ_CONF_ENV_FILE"] = PathOf("environment"),
        ["RABBITMQ_ENABLED_PLUGINS_FILE"] = PathOf("enabled_plugins"),
        ["RABBITMQ_PID_FILE"] = ProcessIdFile,
        ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] =
            $"{SchedulersThatDoNotSpin} -start_epmd false -kernel inet_dist_use_interface {{127,0,0,1}}",
    };

    private async Task<bool> TryStartAsync(CancellationToken cancellationToken)
    {
        File.Delete(ProcessIdFile);
        _process = GuardedProcess.Start(DirectoryPath, ProcessIdFile, ["/bin/sh", "-c", Launcher, "launcher", _program], Variables(), "KILL");
        if (await _process.AnswersAsync(this, AnswersAsync, StartDeadline, Pause, _time, cancellationToken))
        {
            return true;
        }

        await EndAsync(cancellationToken);
        return false;
    }

    /// <summary>It is ready once it opens a connection and its metrics can be read; whichever comes last.</summary>
    private async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await RabbitMqMetrics.TryReadAsync(MetricsAddress, cancellationToken) is not null
                && await RabbitMqBroker.ProbeAsync(Target, cancellationToken) is not null;
        }
        catch (EventTransportException)
        {
            return false; // Not yet; the caller's deadline and the server's exit bound the wait.
        }
    }

    private async Task EndAsync(CancellationToken cancellationToken)
    {
        await _process!.EndAsync(ExitDeadline, _time, cancellationToken);
        _process = null;
    }
}
