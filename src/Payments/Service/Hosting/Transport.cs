using Payments.Contracts.Events;
using Payments.Service.Consumers;

namespace Payments.Service.Hosting;

/// <summary>
/// The bus: the only place that knows the transport. Made without MassTransit's host, which would send usage telemetry.
/// </summary>
internal static class Transport
{
    private static readonly TimeSpan[] Retries =
        [TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(2)];

    /// <summary>The connection is closed after twice this time without a heartbeat.</summary>
    private static readonly TimeSpan Heartbeat = TimeSpan.FromSeconds(10);

    /// <summary>
    /// A bus in this process or over RabbitMQ (persistent messages, durable queues, confirms), not started yet.
    /// </summary>
    public static IBusControl Create(
        PaymentSettings settings, PaymentProgress progress, InFlightGauge inFlight, TimeProvider timeProvider,
        FailureLog failures)
    {
        var bus = settings.BrokerConnectionString is { } broker
            ? Bus.Factory.CreateUsingRabbitMq(factory =>
            {
                factory.Host(new Uri(broker), host =>
                {
                    host.PublisherConfirmation = true;
                    host.Heartbeat(Heartbeat);
                });
                factory.MessageTopology.SetEntityNameFormatter(
                    new PrefixEntityNameFormatter(
                        factory.MessageTopology.EntityNameFormatter, settings.TransportPrefix));
                AddConsumers(factory, settings, progress, timeProvider);
                SubscribeToCompleted(factory, settings, inFlight);
            })
            : Bus.Factory.CreateUsingInMemory(factory => AddConsumers(factory, settings, progress, timeProvider));
        bus.ConnectReceiveObserver(failures);
        return bus;
    }

    /// <summary>Starts the bus: its consumers are bound when it returns.</summary>
    /// <exception cref="IOException">The broker cannot be used; names host and port, not the password.</exception>
    public static async Task StartAsync(IBusControl bus, PaymentSettings settings, CancellationToken cancellationToken)
    {
        if (settings.BrokerConnectionString is not { } broker)
        {
            await bus.StartAsync(cancellationToken);
            return;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(settings.BrokerPatience);
        try
        {
            await bus.StartAsync(limit.Token);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            var uri = new Uri(broker);
            throw new IOException(
                $"The RabbitMQ broker at {uri.Host}:{uri.Port} of ConnectionStrings:RabbitMq cannot be used within "
                + $"{settings.BrokerPatience.TotalSeconds} s: {e.GetBaseException().Message} Check that it runs, and "
                + "host, port, user, password and virtual host.", e);
        }
    }

    /// <summary>
    /// Services that share the queues share the payments, so each service consumes the completions of all of them. The
    /// queue is deleted with the bus.
    /// </summary>
    private static void SubscribeToCompleted(
        IBusFactoryConfigurator bus, PaymentSettings settings, InFlightGauge inFlight) =>
        bus.ReceiveEndpoint(endpoint =>
        {
            endpoint.PrefetchCount = settings.ConcurrentMessages;
            endpoint.Handler<PaymentCompleted>(context =>
            {
                inFlight.Leave(context.Message.PaymentId);
                return Task.CompletedTask;
            });
        });

    /// <summary>Each consumer has an endpoint, so that a slow consumer does not delay the others.</summary>
    private static void AddConsumers(
        IBusFactoryConfigurator bus, PaymentSettings settings, PaymentProgress progress, TimeProvider timeProvider)
    {
        Add("payment-initiated", new PaymentInitiatedConsumer(progress));
        Add("payment-created", new PaymentCreatedConsumer(progress));
        Add("payment-settled", new PaymentSettledConsumer(progress, settings, timeProvider));
        Add("payment-completed", new PaymentCompletedConsumer(progress));

        void Add<T>(string queue, T consumer)
            where T : class, IConsumer => bus.ReceiveEndpoint(settings.TransportPrefix + queue, endpoint =>
            {
                endpoint.PrefetchCount = settings.ConcurrentMessages;
                endpoint.ConcurrentMessageLimit = settings.ConcurrentMessages;
                endpoint.UseMessageRetry(retry => retry.Intervals(Retries));
                endpoint.Instance(consumer);
            });
    }
}
