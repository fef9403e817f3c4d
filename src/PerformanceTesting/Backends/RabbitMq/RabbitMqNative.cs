using Foundation;
using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends.RabbitMq;

/// <summary>
/// An installed RabbitMQ with a directory, node name, port mapper and cookie of its own, and the Prometheus plugin.
/// </summary>
internal sealed class RabbitMqNative(string program, TimeProvider? time) : NativeServer(DirectoryKind, program, time)
{
    private const string DirectoryKind = "rabbitmq";
    private const string ProcessIdName = "broker.pid";
    private const string MapperIdName = "mapper.pid";

    // The node's port mapper (epmd) would otherwise be the machine's, started as a daemon that outlives us.
    private const string Launcher = """
        epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT" & mapper=$!
        echo "$mapper" >"$HOME/mapper.pid"
        "$1"; code=$?
        kill -KILL "$mapper"; wait "$mapper"
        exit "$code"
        """;

    // Not the PATH: what distributions put there changes the user and forgets the environment.
    private static readonly string[] UsualPlaces =
        ["/usr/lib/rabbitmq/bin", "/opt/rabbitmq/sbin", "/opt/homebrew/opt/rabbitmq/sbin",
            "/usr/local/opt/rabbitmq/sbin"];

    private readonly string _program = program;
    private int _metricsPort;

    /// <summary>Where an installed broker is looked for.</summary>
    public static string Places { get; } = string.Join(", ", UsualPlaces);

    public string ConnectionString => $"amqp://workflow:{Password}@127.0.0.1:{Port}/";
    public Uri MetricsAddress => new($"http://127.0.0.1:{_metricsPort}/metrics");

    /// <summary>The process of the node's port mapper while the broker runs, else null.</summary>
    public int? MapperId => ReadProcessId(MapperIdName);

    protected override string ProcessIdFile => ProcessIdName;
    protected override TimeSpan StartTimeout => TimeSpan.FromMinutes(3);
    protected override TimeSpan ExitTimeout => TimeSpan.FromSeconds(30);
    protected override TimeSpan Pause => TimeSpan.FromMilliseconds(100);
    protected override string OrphanSignals => "KILL";
    protected override string PortTaken => "eaddrinuse";

    /// <summary>Finds an installed broker.</summary>
    /// <returns>Null when there is none; on Windows there is none.</returns>
    public static string? FindProgram() => OperatingSystem.IsWindows()
        ? null
        : UsualPlaces.Select(directory => Path.Combine(directory, "rabbitmq-server")).FirstOrDefault(File.Exists);

    public static async Task<RabbitMqNative> StartAsync(
        string program, TimeProvider? time, CancellationToken cancellationToken)
    {
        OwnedDirectory.RemoveAbandoned(DirectoryKind, ProcessIdName, MapperIdName);
        return await new RabbitMqNative(program, time).PreparedAsync(server =>
        {
            Directory.CreateDirectory(server.DirectoryPath);
            return server.StartAsync(cancellationToken);
        });
    }

    /// <summary>Stops the broker in order (SIGTERM) and waits until it is gone.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await SignalAsync("TERM", cancellationToken);
        await EndAsync(cancellationToken);
    }

    protected override void ChoosePorts()
    {
        base.ChoosePorts();
        _metricsPort = LoopbackPort.Free();
    }

    protected override async Task ConfigureAsync(CancellationToken cancellationToken)
    {
        File.Delete(PathOf(ProcessIdName));
        await File.WriteAllTextAsync(PathOf("enabled_plugins"), "[rabbitmq_prometheus].\n", cancellationToken);
        await File.WriteAllTextAsync(PathOf("environment"), "", cancellationToken); // In place of the machine's own.
        await WritePrivateAsync(
            "broker.conf",
            $"""
            listeners.tcp.1 = 127.0.0.1:{Port}
            prometheus.tcp.ip = 127.0.0.1
            prometheus.tcp.port = {_metricsPort}
            default_user = workflow
            default_pass = {Password}
            log.console = true
            log.console.level = warning

            """,
            cancellationToken);
    }

    protected override IReadOnlyList<string> CommandLine() => ["/bin/sh", "-c", Launcher, "launcher", _program];

    protected override IReadOnlyDictionary<string, string> Variables() => new Dictionary<string, string>
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
        ["RABBITMQ_PID_FILE"] = PathOf(ProcessIdName),
        ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] =
            $"{RabbitMqServer.SchedulersThatDoNotSpin} -start_epmd false -kernel inet_dist_use_interface {{127,0,0,1}}",
    };

    /// <summary>It is ready once it opens a connection and its metrics can be read; whichever comes last.</summary>
    protected override async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await RabbitMqCounters.TryReadAsync(MetricsAddress, cancellationToken) is not null
                && await RabbitMqBroker.ProbeAsync(
                    RabbitMqServer.TargetOf(ConnectionString, Description), cancellationToken) is not null;
        }
        catch (EventTransportException)
        {
            return false; // Not yet; the timeout and the server's exit bound the wait.
        }
    }
}
