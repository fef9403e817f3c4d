using Workflow.WebService.Metrics;

namespace Workflow.WebService.Endpoints;

/// <summary>Maps routes, each with its summary in the API description and its own duration histogram.</summary>
internal sealed class RouteMap(IEndpointRouteBuilder routes, ServiceMetrics metrics)
{
    public RouteHandlerBuilder Get(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapGet(pattern, handler), pattern, summary).WithMetadata(metrics.AddRoute("GET", pattern));

    public RouteHandlerBuilder Post(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapPost(pattern, handler), pattern, summary).WithMetadata(metrics.AddRoute("POST", pattern));

    /// <summary>A stream lasts as long as its client wants; its duration would say nothing.</summary>
    public RouteHandlerBuilder Stream(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapGet(pattern, handler), pattern, summary);

    private static RouteHandlerBuilder Describe(RouteHandlerBuilder route, string pattern, string summary) =>
        route.WithSummary(summary).WithTags(pattern.Split('/')[1]);
}

internal static class RouteProblems
{
    /// <summary>The status codes of the errors that a route answers, for its description.</summary>
    public static void ProducesProblems(this RouteHandlerBuilder route, params ReadOnlySpan<int> statuses)
    {
        foreach (var status in statuses)
        {
            route.ProducesProblem(status);
        }
    }
}
