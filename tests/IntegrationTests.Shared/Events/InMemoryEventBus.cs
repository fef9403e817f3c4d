using System.Diagnostics;
using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;
using Workflow.Events.MassTransit;

namespace IntegrationTests.Shared.Events;

/// <summary>
/// A MassTransit bus within this process with one endpoint that consumes every integration event. It is made without a host, so that
/// MassTransit's usage telemetry, which belongs to the host, does not exist.
/// </summary>
public sealed class InMemoryEventBus : IAsyncDisposable
{
    private readonly IBusControl _bus;
    private readonly TransitGauge _transit;

    private InMemoryEventBus(IBusControl bus, TransitGauge transit)
    {
        _bus = bus;
        _transit = transit;
        Publisher = new CountingPublisher(new MassTransitEventPublisher(bus), transit);
    }

    /// <summary>Integral of the last events of instances that are on their way from the engine to the consumer, in event seconds.</summary>
    public double TransitSeconds => _transit.Seconds;

    /// <summary>For the engine.</summary>
    public IEventPublisher Publisher { get; }

    /// <summary>Starts the bus; returns once the consumer is bound.</summary>
    /// <param name="consume">Gets each event with the monotonic ticks of the first line of the consumer's callback.</param>
    public static async Task<InMemoryEventBus> StartAsync(Action<IntegrationEvent, long> consume, CancellationToken cancellationToken)
    {
        var transit = new TransitGauge();
        var bus = Bus.Factory.CreateUsingInMemory(configuration => configuration.ReceiveEndpoint(
            "integration-events",
            endpoint => endpoint.HandleIntegrationEvents(received =>
            {
                var ticks = Stopwatch.GetTimestamp();
                if (EndsInstance(received))
                {
                    transit.Arrived();
                }

                consume(received, ticks);
            })));
        await bus.StartAsync(cancellationToken);
        return new(bus, transit);
    }

    public async ValueTask DisposeAsync() => await _bus.StopAsync(CancellationToken.None);

    private static bool EndsInstance(IntegrationEvent published) => published is InstanceCompleted or InstanceFailed or InstanceCancelled;

    private sealed class CountingPublisher(IEventPublisher inner, TransitGauge transit) : IEventPublisher
    {
        public async Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            await inner.PublishAsync(integrationEvent, cancellationToken);
            if (EndsInstance(integrationEvent))
            {
                transit.Left();
            }
        }
    }
}
