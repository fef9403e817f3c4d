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
            var route = context.GetEndpoint()?.Metadata.GetMetadata<RouteDurations>() ?? metrics.Unmatched;
            route.Observe(timeProvider.GetTimestamp() - begin, context.Response.StatusCode);
        }
    }
}
