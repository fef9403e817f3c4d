using Workflow.Abstractions;
using Workflow.Engine;

namespace Workflow.WebService.Endpoints;

/// <summary>Refuses all but probes until the engine has started.</summary>
internal sealed class StartingMiddleware(RequestDelegate next, IWorkflowEngine engine)
{
    public Task InvokeAsync(HttpContext context) =>
        engine is WorkflowEngine { IsStarted: false } && !context.Request.Path.StartsWithSegments("/health")
            ? throw Readiness.Loading(engine)
            : next(context);
}
