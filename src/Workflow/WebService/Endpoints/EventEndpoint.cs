using Workflow.Abstractions;
using Workflow.WebService.Metrics;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class EventEndpoint(
    IWorkflowEngine engine, ServiceMetrics metrics, TimeSpan stalledReader, IHostApplicationLifetime lifetime,
    TimeProvider timeProvider,
    ILogger logger)
{
    public void Map(RouteMap routes) =>
        routes.Stream(
            "/events", StreamAsync,
            "Integration events as server-sent events: after Last-Event-ID (or lastEventId), else from now on.")
            .Produces<string>(200, "text/event-stream").ProducesProblem(400);

    private async Task StreamAsync(HttpContext context, string? definition, string? lastEventId)
    {
        RequestValues.OnlyKnown(context.Request.Query, "definition", "lastEventId");
        var begin = RequestValues.Position(context.Request) is { } asked
            ? await engine.LocateEventsAsync(asked, context.RequestAborted)
            : new EventBegin(engine.EndOfEvents);

        if (HttpMethods.IsHead(context.Request.Method))
        {
            EventStream.WriteHeaders(context.Response, begin.Position);
            return;
        }

        // An open stream would hold up an orderly stop until its deadline.
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted,
            lifetime.ApplicationStopping);
        await using var events = engine.ReadEventsAsync(begin.Position, ended.Token).GetAsyncEnumerator(ended.Token);
        metrics.EventStreamOpened();
        var stream = new EventStream(context.Response, definition, stalledReader, timeProvider);
        try
        {
            await stream.WriteAllAsync(begin, events, ended.Token);
        }
        catch (StalledReaderException)
        {
            // The reason cannot go to the client, who does not read; it finds the connection reset.
            metrics.EventStreamDropped();
            var client = $"{context.Connection.RemoteIpAddress}:{context.Connection.RemotePort}";
            Log.StreamDropped(logger, client, $"{stream.Position}", stalledReader.TotalSeconds);
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The client went away or the service stops: the usual end of a stream that has none.
        }
        finally
        {
            metrics.EventStreamClosed();
        }
    }
}
