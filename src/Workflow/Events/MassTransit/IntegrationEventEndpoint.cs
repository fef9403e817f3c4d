using MassTransit;
using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>Consumes integration events from a MassTransit endpoint.</summary>
public static class IntegrationEventEndpoint
{
    /// <summary>
    /// Calls <paramref name="handle"/> for every integration event, at once and on the transport's thread: a handler that stamps the time
    /// of arrival does so in its first line.
    /// </summary>
    public static void HandleIntegrationEvents(this IReceiveEndpointConfigurator endpoint, Action<IntegrationEvent> handle)
    {
        Handle<InstanceCompleted>();
        Handle<InstanceFailed>();
        Handle<InstanceCancelled>();
        Handle<TaskCreated>();
        Handle<TaskCompleted>();
        Handle<EventRaised>();
        Handle<SignalReceived>();
        Handle<SignalExpired>();

        void Handle<T>()
            where T : IntegrationEvent => endpoint.Handler<T>(context =>
            {
                handle(context.Message);
                return Task.CompletedTask;
            });
    }
}
