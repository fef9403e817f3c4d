using MassTransit;
using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>Consumes integration events from a MassTransit endpoint.</summary>
public static class IntegrationEventEndpoint
{
    /// <summary>
    /// Leaves out the line breaks and indents that MassTransit writes by default, and that every message is then sent,
    /// stored and parsed with. MassTransit keeps this for all buses of the process.
    /// </summary>
    public static void UseCompactJson(this IBusFactoryConfigurator bus) => bus.ConfigureJsonSerializerOptions(
        options => options.WriteIndented ? new(options) { WriteIndented = false } : options);

    /// <summary>
    /// Calls <paramref name="handle"/> for every event, on the transport's thread: stamp the arrival in its first line.
    /// </summary>
    public static void HandleIntegrationEvents(
        this IReceiveEndpointConfigurator endpoint, Action<IntegrationEvent> handle)
    {
        Handle<InstanceCompleted>();
        Handle<InstanceFailed>();
        Handle<InstanceCancelled>();
        Handle<InstanceSuspended>();
        Handle<InstanceResumed>();
        Handle<InstanceRetried>();
        Handle<TaskCreated>();
        Handle<TaskCompleted>();
        Handle<EventRaised>();
        Handle<SignalReceived>();
        Handle<SignalExpired>();
        Handle<DefinitionRegistered>();

        void Handle<T>()
            where T : IntegrationEvent => endpoint.Handler<T>(context =>
            {
                handle(context.Message);
                return Task.CompletedTask;
            });
    }
}
