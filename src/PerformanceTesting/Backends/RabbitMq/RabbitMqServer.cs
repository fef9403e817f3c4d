using System.Security.Cryptography;
using PerformanceTesting.Backends.Containers;
using RabbitMQ.Client;
using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends.RabbitMq;

/// <summary>
/// A RabbitMQ broker shared by the tests of one process; each test takes exchanges and queues with a prefix of its own,
/// and removes them. On an external broker a run that was killed leaves exchanges named <c>wf-*</c> behind, and its
/// queues expire.
/// </summary>
public sealed class RabbitMqServer : BackendServer
{
    /// <summary>
    /// Schedulers that spin while they have nothing to do would take the processors of what is measured beside them.
    /// </summary>
    internal const string SchedulersThatDoNotSpin = "+sbwt none +sbwtdcpu none +sbwtdio none";

    private const int Port = 5672;

    /// <summary>Where the Prometheus plugin listens by default.</summary>
    private const int MetricsPort = 15692;

    private readonly Func<string> _connectionString;
    private readonly Func<Uri> _metricsAddress;
    private readonly RabbitMqNative? _native;

    private RabbitMqServer(
        ServerHost host, Func<string> connectionString, Func<Uri> metricsAddress, RabbitMqNative? native = null)
        : base(host)
    {
        _connectionString = connectionString;
        _metricsAddress = metricsAddress;
        _native = native;
    }

    public override ServerKind Kind => ServerKind.RabbitMq;
    public override string ConnectionString => _connectionString();

    /// <summary>Broker and account.</summary>
    public RabbitMqTarget Target => TargetOf(ConnectionString, Description);

    /// <summary>The page of the Prometheus plugin; it may not answer on an external broker.</summary>
    public Uri MetricsAddress => _metricsAddress();

    /// <summary>The process of a native node's port mapper while the broker runs, else null.</summary>
    public int? MapperId => _native?.MapperId;

    /// <summary>A prefix of the names of exchanges and queues that no other test of any process has.</summary>
    public static string NewPrefix() => $"wf-{Environment.ProcessId:x}-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(4))}-";

    public static async Task<RabbitMqServer> ConnectAsync(
        string connectionString, string variable, CancellationToken cancellationToken)
    {
        if (!RabbitMqTarget.TryParse(connectionString, out var target, out var problem))
        {
            throw new BackendException($"{variable} {problem}.");
        }

        try
        {
            var version = await RabbitMqBroker.ProbeAsync(target, cancellationToken);
            var metrics = new Uri($"http://{target.Host}:{MetricsPort}/metrics");
            return new RabbitMqServer(
                new ExternalHost($"{target}, RabbitMQ {version}"), () => connectionString, () => metrics);
        }
        catch (EventTransportException exception)
        {
            throw new BackendException(
                $"{variable}: {exception.Message} Correct {variable}, start that broker, or unset {variable} to have "
                    + $"one started natively.", exception);
        }
    }

    public static async Task<RabbitMqServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        var password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
        var request = new ContainerRequest
        {
            Kind = ServerKind.RabbitMq.Name,
            Image = image,
            Ports = [Port, MetricsPort],
            Environment = new Dictionary<string, string>
            {
                ["RABBITMQ_DEFAULT_USER"] = "workflow",
                ["RABBITMQ_DEFAULT_PASS"] = password,
                ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = SchedulersThatDoNotSpin,
            },
        };
        var container = await ServerInContainer.StartAsync(engine, request, AskAsync, cancellationToken);
        return new RabbitMqServer(container, () => Connect(container.Container), () => MetricsOf(container.Container));

        string Connect(
            IServerContainer started) => $"amqp://workflow:{password}@{started.Host}:{started.PortOf(Port)}/";

        static Uri MetricsOf(IServerContainer started) =>
            new($"http://{started.Host}:{started.PortOf(MetricsPort)}/metrics");

        async Task<string?> AskAsync(IServerContainer started, CancellationToken token)
        {
            try
            {
                await RabbitMqBroker.ProbeAsync(TargetOf(Connect(started), started.Name), token);
                return await RabbitMqCounters.TryReadAsync(MetricsOf(started), token) is null
                    ? "its metrics cannot be read yet" : null;
            }
            catch (EventTransportException exception)
            {
                return exception.Message;
            }
        }
    }

    public static async Task<RabbitMqServer> StartNativeAsync(
        string program, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        var native = await RabbitMqNative.StartAsync(program, time, cancellationToken);
        return new RabbitMqServer(native, () => native.ConnectionString, () => native.MetricsAddress, native);
    }

    /// <summary>Stops a native broker in order (SIGTERM) and waits until it is gone.</summary>
    /// <exception cref="BackendException">It does not run, or was not started here.</exception>
    public Task StopAsync(CancellationToken cancellationToken) =>
        _native?.StopAsync(cancellationToken) ?? throw new BackendException(
            $"{Description} was not started by the tests, so the tests do not stop it.");

    /// <summary>
    /// Removes queues, and the exchanges of all event types of a contract; a broker that does not run takes them along.
    /// </summary>
    /// <param name="prefix">Of <see cref="NewPrefix"/>.</param>
    /// <param name="eventBase">Base of the event types.</param>
    /// <param name="queues">Names without the prefix.</param>
    public async Task RemoveAsync(string prefix, Type eventBase, IReadOnlyList<string> queues)
    {
        if (Host.Provision == ProvisionMode.Native && Host.ProcessId is null)
        {
            return;
        }

        await using var connection = await RabbitMqBroker.ConnectAsync(Target, "clean-up", CancellationToken.None);
        await using var channel = await connection.CreateChannelAsync();
        foreach (var queue in queues)
        {
            await channel.QueueDeleteAsync(prefix + queue);
        }

        var types = eventBase.Assembly.GetTypes().Where(eventBase.IsAssignableFrom)
            .Select(type => $"{type.Namespace}:{type.Name}");
        foreach (var exchange in types.Concat(queues))
        {
            await channel.ExchangeDeleteAsync(prefix + exchange);
        }
    }

    /// <summary>
    /// Version and limits. What survives a power failure is decided by each queue and message, not by the broker: those
    /// of the tests are durable and persistent, and a publish returns with the broker's confirmation.
    /// </summary>
    /// <exception cref="BackendException">The broker cannot be reached.</exception>
    public override async Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken)
    {
        try
        {
            var version = await RabbitMqBroker.ProbeAsync(Target, cancellationToken);
            var page = await RabbitMqCounters.TryReadAsync(MetricsAddress, cancellationToken);
            var settings = new SortedDictionary<string, string>(StringComparer.Ordinal)
            {
                ["queues"] = "classic, durable",
                ["messages"] = "persistent",
                ["publisher confirms"] = "on",
                ["prefetch"] = $"{new RabbitMqEventConsumer("", _ => { }).Prefetch}",
            };
            foreach (var (name, value) in page?.Labels ?? new Dictionary<string, string>())
            {
                settings[name] = value;
            }

            return new SettingsReadBack(version, settings, []);
        }
        catch (EventTransportException exception)
        {
            throw new BackendException(
                $"The settings of {Description} cannot be read: {exception.Message}{Environment.NewLine}"
                    + await Host.ReadLogTailAsync(cancellationToken),
                exception);
        }
    }

    internal static RabbitMqTarget TargetOf(string connectionString, string server) =>
        RabbitMqTarget.TryParse(connectionString, out var target, out var problem)
            ? target
            : throw new BackendException($"{server}: {problem}");
}
