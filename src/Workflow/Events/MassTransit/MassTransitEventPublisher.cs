using System.Diagnostics;
using MassTransit;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Events;

namespace Workflow.Events.MassTransit;

/// <summary>
/// Publishes integration events on a MassTransit bus, one message a call, under their own message types.
/// </summary>
/// <param name="window">Calls of one stream in flight at a time, 1 or more.</param>
/// <param name="timeout">
/// How long a call may take; without end when omitted. Over a broker it must end: a confirmation that was in transit
/// when the channel closed never comes, and MassTransit waits for it.
/// </param>
public sealed class MassTransitEventPublisher(IPublishEndpoint bus, int window = 1, TimeSpan? timeout = null)
    : IEventPublisher
{
    /// <summary>The header of a message whose event belongs to a trace, as W3C names it.</summary>
    public const string TraceParentHeader = "traceparent";

    public int Window => window;

    /// <exception cref="EventTransportException">
    /// The call took too long. The event may have arrived nevertheless: it is published again with the same id.
    /// </exception>
    public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken) =>
        timeout is { } limit
            ? PublishAsync(integrationEvent, limit, cancellationToken)
            : SendAsync(integrationEvent, cancellationToken);

    private Task SendAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken) =>
        integrationEvent.TraceParent is { } trace
            ? bus.Publish(integrationEvent, integrationEvent.GetType(), WithTrace(trace), cancellationToken)
            : bus.Publish(integrationEvent, integrationEvent.GetType(), cancellationToken);

    /// <summary>
    /// The header that a consumer of any kind looks for: the span of this call, or what the event itself belongs to.
    /// </summary>
    private static IPipe<PublishContext> WithTrace(string trace)
    {
        var parent = Activity.Current is { Recorded: true, Id: { } span } current
            && trace.Contains(current.TraceId.ToHexString(),
                StringComparison.Ordinal) ? span : trace;
        return Pipe.Execute<PublishContext>(context => context.Headers.Set(TraceParentHeader, parent));
    }

    private async Task PublishAsync(
        IntegrationEvent integrationEvent, TimeSpan limit, CancellationToken cancellationToken)
    {
        using var abandoned = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            await SendAsync(integrationEvent, abandoned.Token)
                .WaitAsync(limit, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            await abandoned.CancelAsync().ConfigureAwait(false);
            throw new EventTransportException(
                $"The transport has not confirmed event {integrationEvent.Id} within {limit.TotalSeconds} s.", e);
        }
    }
}
