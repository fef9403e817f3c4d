using Workflow.Abstractions;
using Workflow.WebService.Metrics;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>The counters as Prometheus text.</summary>
internal sealed class MetricsEndpoint(IWorkflowEngine engine, ServiceMetrics metrics)
{
    private const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    public void Map(RouteMap routes) => routes.Get("/metrics", GetAsync, "Counters and gauges as Prometheus text.").Produces<string>(200, "text/plain");

    private Task GetAsync(HttpContext context)
    {
        var page = new MetricsPage();
        page.Write(engine.Statistics);
        metrics.Write(page);
        ProcessMetrics.Write(page);
        return JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, ContentType, page.ToString());
    }
}
