using Workflow.Abstractions;
using Workflow.Contracts.Cluster;
using Workflow.WebService.Metrics;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>Is the process alive, can it serve, and what has it counted.</summary>
internal sealed class OperationEndpoints(IWorkflowEngine engine, ServiceMetrics metrics, Readiness readiness)
{
    private const string MetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

    public void Map(RouteMap routes)
    {
        routes.Get("/health/live", LiveAsync, "200 while the process runs.").Produces<object>();
        routes.Get("/health/ready", ReadyAsync, "200 once every lane is served, here or on another node, while the "
            + "store answers a read and every lane gets on with its work, with the lanes that this node owns; 503 with "
            + "the reason otherwise, while the engine starts with the number of lanes that are served.")
            .Produces<object>().ProducesProblem(503);
        routes.Get("/cluster", ClusterAsync, "Who has which lane: clients may send each request to the "
            + "node that has the lane of its key.").Produces<ClusterInfo>();
        routes.Get("/metrics", MetricsAsync, "Counters and gauges as Prometheus text.")
            .Produces<string>(200, "text/plain");
    }

    private static Task LiveAsync(HttpContext context) => JsonResponse.WriteTextAsync(
        context, StatusCodes.Status200OK, JsonResponse.ContentType, """{"status":"live"}""");

    private async Task ReadyAsync(HttpContext context)
    {
        await readiness.CheckAsync(context.RequestAborted);
        await JsonResponse.OkAsync(context, engine.Statistics.Cluster is { } node
            ? new { Status = "ready", node.NodeName, node.OwnedLanes, node.LiveNodes }
            : (object)new { Status = "ready" });
    }

    private Task ClusterAsync(HttpContext context) => JsonResponse.OkAsync(context, engine.DescribeCluster());

    private Task MetricsAsync(HttpContext context)
    {
        var page = new MetricsPage();
        page.Write(engine.Statistics);
        metrics.Write(page);
        ProcessMetrics.Write(page);
        return JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, MetricsContentType, page.ToString());
    }
}
