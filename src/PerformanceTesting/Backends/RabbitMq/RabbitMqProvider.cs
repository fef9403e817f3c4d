using PerformanceTesting.Backends.Containers;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends.RabbitMq;

/// <summary>Provides RabbitMQ brokers.</summary>
/// <param name="findProgram">Finds the installed server program; the usual places when omitted.</param>
internal sealed class RabbitMqProvider(Func<string?>? findProgram = null) : ServerProvider
{
    public override ServerKind Kind => ServerKind.RabbitMq;

    public override string HowToEnable { get; } =
        (OperatingSystem.IsMacOS() ? "brew install rabbitmq" : "apt-get install -y rabbitmq-server") +
        $", or export {ServerKind.RabbitMq.Variable}='{RabbitMqTarget.Example}'";

    public override ContainerImage Image { get; } =
        new(ServerKind.RabbitMq.Name, "rabbitmq:3.13.7", "workflow-perf/rabbitmq:3.10");

    public override async Task<BackendServer> ConnectAsync(
        string connectionString, CancellationToken cancellationToken) =>
        await RabbitMqServer.ConnectAsync(connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await RabbitMqServer.StartContainerAsync(engine, image, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        (findProgram ?? RabbitMqNative.FindProgram)() is { } program
            ? ProvisionOutcome.Of(await RabbitMqServer.StartNativeAsync(program, cancellationToken: cancellationToken))
            : ProvisionOutcome.Refused($"no rabbitmq-server found in {RabbitMqNative.Places}");
}
