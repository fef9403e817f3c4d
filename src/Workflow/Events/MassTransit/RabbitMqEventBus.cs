using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Events.MassTransit;

/// <summary>
/// A MassTransit bus over RabbitMQ: persistent messages, durable exchanges and queues, and a publish that returns with
/// the broker's confirmation. It is made without a host, so that MassTransit's usage telemetry, which belongs to the
/// host, does not exist. After an outage it connects again by itself.
/// </summary>
public sealed class RabbitMqEventBus : IAsyncDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(20);

    /// <summary>
    /// A broker that says nothing for twice as long is left: its own default, 60 s, would keep events back for minutes.
    /// </summary>
    private static readonly TimeSpan Heartbeat = TimeSpan.FromSeconds(10);

    private readonly IBusControl _bus;

    private RabbitMqEventBus(IBusControl bus, RabbitMqEventOptions options, string version)
    {
        _bus = bus;
        Publisher = new MassTransitEventPublisher(bus, options.PublishWindow, options.PublishTimeout);
        BrokerVersion = version;
    }

    public IEventPublisher Publisher { get; }

    /// <summary>What the broker says it is, e.g. <c>3.10.8</c>.</summary>
    public string BrokerVersion { get; }

    /// <summary>
    /// Connects and, where there is a consumer, makes its queue and consumes: what is published from then on arrives.
    /// </summary>
    /// <exception cref="EventTransportException">
    /// The broker cannot be reached within 30 s or refuses; the message says why, without the password.
    /// </exception>
    /// <exception cref="ArgumentException">An option is out of range.</exception>
    public static async Task<RabbitMqEventBus> StartAsync(
        RabbitMqEventOptions options, CancellationToken cancellationToken)
    {
        Check(options);
        var version = await RabbitMqBroker.ProbeAsync(options.Target, cancellationToken).ConfigureAwait(false);
        var bus = Bus.Factory.CreateUsingRabbitMq(factory => Configure(factory, options));
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(StartLimit);
        try
        {
            await bus.StartAsync(deadline.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new EventTransportException(
                $"The bus over the RabbitMQ broker ({options.Target}) did not start within {StartLimit.TotalSeconds} "
                    + "s: "
                + $"{e.GetBaseException().Message} A queue or exchange of that name with other settings, or a user who "
                + "may not configure, is the usual reason.",
                e);
        }

        return new RabbitMqEventBus(bus, options, version);
    }

    public async ValueTask DisposeAsync() => await _bus.StopAsync(CancellationToken.None).ConfigureAwait(false);

    private static void Configure(IRabbitMqBusFactoryConfigurator bus, RabbitMqEventOptions options)
    {
        var target = options.Target;
        bus.UseCompactJson();
        bus.Host(target.Host, (ushort)target.Port, target.VirtualHost, "workflow-events", host =>
        {
            host.Username(target.User);
            host.Password(target.Password);
            host.PublisherConfirmation = true;
            host.Heartbeat(Heartbeat);
        });
        bus.MessageTopology.SetEntityNameFormatter(
            new PrefixEntityNameFormatter(bus.MessageTopology.EntityNameFormatter, options.ExchangePrefix));
        if (options.Consumer is { } consumer)
        {
            bus.ReceiveEndpoint(consumer.Queue, endpoint =>
            {
                endpoint.PrefetchCount = consumer.Prefetch;
                endpoint.ConcurrentMessageLimit = 1;
                endpoint.QueueExpiration = consumer.ExpiresUnused;
                endpoint.HandleIntegrationEvents(consumer.Handle);
            });
        }
    }

    private static void Check(RabbitMqEventOptions options)
    {
        var errors = new List<string>();
        if (options.PublishWindow is < 1 or > 128)
        {
            errors.Add($"{nameof(options.PublishWindow)} is {options.PublishWindow}; it must be 1 to 128.");
        }

        if (options.PublishTimeout < TimeSpan.FromSeconds(0.1) || options.PublishTimeout > TimeSpan.FromMinutes(5))
        {
            errors.Add($"{nameof(options.PublishTimeout)} is {options.PublishTimeout}; it must be 0.1 s to 5 min.");
        }

        if (options.Consumer?.Prefetch is < 1 or > ushort.MaxValue)
        {
            errors.Add(
                $"{nameof(RabbitMqEventConsumer.Prefetch)} is {options.Consumer.Prefetch}; it must be 1 to "
                + $"{ushort.MaxValue}.");
        }

        if (errors.Count > 0)
        {
            throw new ArgumentException(
                "The RabbitMQ event options are wrong: " + string.Join(" ", errors), nameof(options));
        }
    }
}
