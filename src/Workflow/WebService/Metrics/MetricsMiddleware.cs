namespace Workflow.WebService.Metrics;

/// <summary>Measures every request under its route.</summary>
internal sealed class MetricsMiddleware(RequestDelegate next, ServiceMetrics metrics, TimeProvider timeProvider)
{
    public async Task InvokeAsync(HttpContext context)
    {
        var begin = timeProvider.GetTimestamp();
        try
        {
            await next(context);
        }
        finally
        {
            // What routing itself answers (404, 405, 415) has no route; a route without durations, e.g. the event
            // stream, is not timed.
            var route = context.GetEndpoint() is RouteEndpoint matched
                ? matched.Metadata.GetMetadata<RouteDurations>()
                : metrics.Unmatched;
            route?.Observe(timeProvider.GetTimestamp() - begin, context.Response.StatusCode);
        }
    }
}
