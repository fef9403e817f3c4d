using Workflow.Abstractions;

namespace Workflow.WebService.Endpoints;

/// <summary>Refuses all but probes until the engine has started.</summary>
internal sealed class StartingMiddleware(RequestDelegate next, IWorkflowEngine engine)
{
    public Task InvokeAsync(HttpContext context) =>
        Readiness.IsLoading(engine) && !context.Request.Path.StartsWithSegments("/health")
            ? throw Readiness.Loading(engine)
            : next(context);
}
