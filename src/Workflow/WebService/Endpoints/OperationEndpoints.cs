using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Metrics;
using Workflow.WebService.Problems;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>Is the process alive, can it serve, and what has it counted.</summary>
internal sealed class OperationEndpoints(IWorkflowEngine engine, ServiceMetrics metrics, Readiness readiness)
{
    private const string MetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

    public void Map(RouteMap routes)
    {
        routes.Get("/health/live", LiveAsync, "200 while the process runs.").Produces<object>();
        routes.Get("/health/ready", ReadyAsync, "200 while the store answers a read and every lane gets on with its work, with the lanes "
            + "that this node owns; 503 with the reason otherwise.").Produces<object>().ProducesProblem(503);
        routes.Get("/metrics", MetricsAsync, "Counters and gauges as Prometheus text.").Produces<string>(200, "text/plain");
    }

    private static Task LiveAsync(HttpContext context) =>
        JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, JsonResponse.ContentType, """{"status":"live"}""");

    private async Task ReadyAsync(HttpContext context)
    {
        await readiness.CheckAsync(context.RequestAborted);
        await JsonResponse.OkAsync(context, engine.Statistics.Cluster is { } node
            ? new { Status = "ready", node.NodeName, node.OwnedLanes, node.LiveNodes }
            : (object)new { Status = "ready" });
    }

    private Task MetricsAsync(HttpContext context)
    {
        var page = new MetricsPage();
        page.Write(engine.Statistics);
        metrics.Write(page);
        ProcessMetrics.Write(page);
        return JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, MetricsContentType, page.ToString());
    }
}

/// <summary>Whether the service can serve: the store answers a read, and every lane gets on with its work.</summary>
internal sealed class Readiness(IWorkflowEngine engine, IHostApplicationLifetime lifetime, TimeProvider timeProvider, ILogger logger)
{
    private static readonly TimeSpan ReadDeadline = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(5);
    private Task _read = Task.CompletedTask;

    /// <exception cref="ProblemException">It cannot.</exception>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (lifetime.ApplicationStopping.IsCancellationRequested)
        {
            throw NotReady("The service is stopping.", null);
        }

        try
        {
            // One read for all who ask. A driver whose server stands still may take long to give it up: nobody waits for that.
            _read = _read.IsCompleted ? ReadAsync() : _read;
            await _read.WaitAsync(ReadDeadline, timeProvider, cancellationToken);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            Log.NotReady(logger, e.Message);
            throw NotReady(e is TimeoutException or OperationCanceledException
                ? $"The store did not answer a read within {ReadDeadline.TotalSeconds} s."
                : e is EngineStoppedException ? e.Message
                : "The store cannot be read. The service's log holds the cause.", e);
        }

        if (engine.Statistics.StalledSeconds is { } stalled && stalled > StallLimit.TotalSeconds)
        {
            Log.NotReady(logger, $"a lane has had work and committed none of it for {stalled:0.0} s");
            throw NotReady($"A lane has had work and committed none of it for more than {StallLimit.TotalSeconds} s.", null);
        }
    }

    /// <summary>Reads what cannot exist: the answer does not matter, only that the store gives one.</summary>
    private async Task ReadAsync()
    {
        using var deadline = new CancellationTokenSource(ReadDeadline, timeProvider);
        await engine.FindInstanceAsync(Guid.Empty, deadline.Token);
    }

    private static ProblemException NotReady(string reason, Exception? inner) => new(
        new Problem(StatusCodes.Status503ServiceUnavailable, "not-ready", reason) { RetryAfter = TimeSpan.FromSeconds(1) }, inner);
}
