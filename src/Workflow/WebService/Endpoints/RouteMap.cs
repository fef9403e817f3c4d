using Workflow.WebService.Metrics;

namespace Workflow.WebService.Endpoints;

/// <summary>Maps routes, each with its summary in the API description and its own duration histogram.</summary>
internal sealed class RouteMap(IEndpointRouteBuilder routes, ServiceMetrics metrics)
{
    public RouteHandlerBuilder Get(string pattern, Delegate handler, string summary) => Describe(routes.MapGet(pattern, handler), "GET", pattern, summary);

    public RouteHandlerBuilder Post(string pattern, Delegate handler, string summary) => Describe(routes.MapPost(pattern, handler), "POST", pattern, summary);

    private RouteHandlerBuilder Describe(RouteHandlerBuilder route, string method, string pattern, string summary) =>
        route.WithSummary(summary).WithMetadata(metrics.AddRoute(method, pattern));
}
