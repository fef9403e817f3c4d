using System.Diagnostics;
using Workflow.WebService.Configuration;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Problems;

/// <summary>Turns every error into problem+json, those of routing included.</summary>
internal sealed class ProblemMiddleware(RequestDelegate next, ServiceSettings settings, ILogger<ProblemMiddleware> logger)
{
    // Nobody reads it; it keeps a client that went away apart from answers in the counters.
    private const int ClientClosedRequest = 499;

    public async Task InvokeAsync(HttpContext context)
    {
        try
        {
            await next(context);
        }
        catch (Exception e) when (!context.Response.HasStarted)
        {
            await AnswerAsync(context, e);
            return;
        }

        if (context.Response is { StatusCode: >= 400, HasStarted: false } && ProblemMapping.FromStatus(context) is { } problem)
        {
            await ProblemResponse.WriteAsync(context, problem);
        }
    }

    private Task AnswerAsync(HttpContext context, Exception exception)
    {
        if (context.RequestAborted.IsCancellationRequested && exception is OperationCanceledException or IOException)
        {
            context.Response.StatusCode = ClientClosedRequest;
            return Task.CompletedTask;
        }

        return ProblemResponse.WriteAsync(context, ProblemMapping.From(exception, context.Request, settings.MaxBodyBytes) ?? Unforeseen(context, exception));
    }

    private Problem Unforeseen(HttpContext context, Exception exception)
    {
        var traceId = Activity.Current?.TraceId.ToString() ?? context.TraceIdentifier;
        Log.RequestFailed(logger, exception, context.Request.Method, context.Request.Path, traceId);
        return new Problem(500, "internal-error", $"The service failed in a way that it did not foresee. Its log holds the cause under trace id {traceId}.") { TraceId = traceId };
    }
}
