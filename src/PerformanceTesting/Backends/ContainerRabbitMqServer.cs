using System.Security.Cryptography;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Backends.Containers;
using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends;

/// <summary>A RabbitMQ broker in a container, with a random password and the Prometheus plugin.</summary>
public sealed class ContainerRabbitMqServer : RabbitMqServer
{
    private const int Port = 5672;
    private const int MetricsPort = 15692;

    private readonly string _password = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));
    private ServerInContainer? _server;

    private ContainerRabbitMqServer()
    {
    }

    public override ProvisionMode Provision => ProvisionMode.Container;

    public override string Description => Server.Description;

    public override string LogTail => Server.Container.LogTail;

    public override int? ProcessId => Server.ProcessId;

    public override IServerContainer Container => Server.Container;

    public override string ConnectionString => Connect(Container);

    public override RabbitMqTarget Target => TargetOf(Container);

    public override Uri MetricsAddress => MetricsOf(Container);

    private ServerInContainer Server => _server ?? throw new InvalidOperationException("The broker was not started.");

    /// <summary>Starts a broker and waits until it takes a connection and tells its metrics.</summary>
    /// <param name="engine">Starts the container.</param>
    /// <param name="image">An image that is there, under the contract of the official one.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start; the message holds the end of its log. Nothing is left behind.</exception>
    public static async Task<ContainerRabbitMqServer> StartAsync(IContainerEngine engine, string image, CancellationToken cancellationToken)
    {
        var server = new ContainerRabbitMqServer();
        var request = new ContainerRequest
        {
            Kind = ServerKind.RabbitMq,
            Image = image,
            Ports = [Port, MetricsPort],
            Environment = new Dictionary<string, string>
            {
                ["RABBITMQ_DEFAULT_USER"] = "workflow",
                ["RABBITMQ_DEFAULT_PASS"] = server._password,
                ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = SchedulersThatDoNotSpin,
            },
        };
        server._server = await ServerInContainer.StartAsync(engine, request, server.AskAsync, cancellationToken);
        return server;
    }

    /// <summary>Ends the broker as <c>kill -9</c> does.</summary>
    public Task KillAsync(CancellationToken cancellationToken) => Server.KillAsync(cancellationToken);

    /// <summary>Starts a killed broker again, on the same ports and data.</summary>
    /// <exception cref="BackendException">It does not come up.</exception>
    public Task StartAgainAsync(CancellationToken cancellationToken) => Server.StartAgainAsync(cancellationToken);

    public override ValueTask DisposeAsync() => Server.DisposeAsync();

    private static Uri MetricsOf(IServerContainer container) => new($"http://{container.Host}:{container.PortOf(MetricsPort)}/metrics");

    private string Connect(IServerContainer container) => $"amqp://workflow:{_password}@{container.Host}:{container.PortOf(Port)}/";

    private RabbitMqTarget TargetOf(IServerContainer container) => RabbitMqTarget.TryParse(Connect(container), out var target, out var problem)
        ? target
        : throw new BackendException($"{container.Name}: {problem}");

    private async Task<string?> AskAsync(IServerContainer container, CancellationToken cancellationToken)
    {
        try
        {
            await RabbitMqBroker.ProbeAsync(TargetOf(container), cancellationToken);
            return await RabbitMqMetrics.TryReadAsync(MetricsOf(container), cancellationToken) is null ? "its metrics cannot be read yet" : null;
        }
        catch (EventTransportException exception)
        {
            return exception.Message;
        }
    }
}
