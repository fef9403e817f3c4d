using MassTransit;
using Payments.Service.Configuration;
using Payments.Service.Consumers;

namespace Payments.Service.Messaging;

/// <summary>
/// The bus: the only place that knows the transport. It is made without MassTransit's host, so that its usage telemetry, which belongs to the host,
/// does not exist.
/// </summary>
internal static class Transport
{
    private static readonly TimeSpan[] Retries = [TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(2)];

    /// <summary>A bus within this process that is not started yet. A broker's would be another factory over the same endpoints.</summary>
    public static IBusControl Create(PaymentSettings settings, PaymentProgress progress, TimeProvider timeProvider, FailureLog failures)
    {
        var bus = Bus.Factory.CreateUsingInMemory(factory => AddConsumers(factory, settings, progress, timeProvider));
        bus.ConnectReceiveObserver(failures);
        return bus;
    }

    /// <summary>An endpoint each, so that a consumer that is slow holds up no other.</summary>
    private static void AddConsumers(IBusFactoryConfigurator bus, PaymentSettings settings, PaymentProgress progress, TimeProvider timeProvider)
    {
        Add("payment-initiated", new PaymentInitiatedConsumer(progress));
        Add("payment-created", new PaymentCreatedConsumer(progress));
        Add("payment-settled", new PaymentSettledConsumer(progress, settings, timeProvider));
        Add("payment-completed", new PaymentCompletedConsumer(progress));

        void Add<T>(string queue, T consumer)
            where T : class, IConsumer => bus.ReceiveEndpoint(queue, endpoint =>
            {
                endpoint.PrefetchCount = settings.ConcurrentMessages;
                endpoint.ConcurrentMessageLimit = settings.ConcurrentMessages;
                endpoint.UseMessageRetry(retry => retry.Intervals(Retries));
                endpoint.Instance(consumer);
            });
    }
}
