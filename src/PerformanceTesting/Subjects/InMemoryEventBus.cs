using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Subjects;

/// <summary>
/// A MassTransit bus within this process with one endpoint that consumes every integration event. It is made without a
/// host, so that MassTransit's usage telemetry, which belongs to the host, does not exist.
/// </summary>
public sealed class InMemoryEventBus : EventBus
{
    /// <summary>Events that the consumer takes at a time.</summary>
    public const int ConcurrentEvents = 16;

    private readonly IBusControl _bus;

    private InMemoryEventBus(Action<IntegrationEvent, long> consume)
    {
        _bus = Bus.Factory.CreateUsingInMemory(configuration =>
        {
            // Without MassTransit's envelope, which says from which host and process a message comes: here there is
            // one.
            configuration.UseCompactJson();
            configuration.ClearSerialization();
            configuration.UseRawJsonSerializer(RawSerializerOptions.AddTransportHeaders, isDefault: true);
            configuration.ReceiveEndpoint("integration-events", endpoint =>
            {
                endpoint.ConcurrentMessageLimit = ConcurrentEvents;
                endpoint.HandleIntegrationEvents(Consuming(consume));
            });
        });
        Publisher = Counting(new MassTransitEventPublisher(_bus));
    }

    public override IEventPublisher Publisher { get; }

    /// <summary>Starts the bus; returns once the consumer is bound.</summary>
    /// <param name="consume">
    /// Gets each event with the monotonic ticks of the first line of the consumer's callback.
    /// </param>
    public static async Task<InMemoryEventBus> StartAsync(
        Action<IntegrationEvent, long> consume, CancellationToken cancellationToken)
    {
        var bus = new InMemoryEventBus(consume);
        await bus._bus.StartAsync(cancellationToken);
        return bus;
    }

    public override async ValueTask DisposeAsync() => await _bus.StopAsync(CancellationToken.None);
}
