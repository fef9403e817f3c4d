using System.Diagnostics;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Configuration;

namespace Workflow.WebService.Problems;

/// <summary>Turns every error into problem+json, those of routing included.</summary>
internal sealed class ProblemMiddleware(
    RequestDelegate next, ServiceSettings settings, ILogger<ProblemMiddleware> logger)
{
    // No client receives this status; it separates aborted requests from answers in the counters.
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

        if (context.Response is { StatusCode: >= 400, HasStarted: false }
            && ProblemMapping.FromStatus(context) is { } problem)
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

        return ProblemResponse.WriteAsync(context, exception is StoreUnavailableException unavailable
            ? Unavailable(context, unavailable)
            : ProblemMapping.From(exception, context.Request, settings.MaxBodyBytes)
                ?? UnexpectedError(context, exception));
    }

    /// <summary>What a driver says names hosts, users and statements, which are for the log alone.</summary>
    private Problem Unavailable(HttpContext context, StoreUnavailableException exception)
    {
        var traceId = TraceId(context);
        Log.StoreUnavailable(logger, context.Request.Method, context.Request.Path, traceId, exception.Message);
        var advice = exception.OutcomeUnknown
            ? "The command may have been committed: repeat it with the same Idempotency-Key."
            : "Nothing was committed: repeat the request.";
        return new Problem(503, exception.Code,
            $"The store is not available. {advice} The service's log holds the cause under trace id {traceId}.")
        {
            RetryAfter = ProblemMapping.StoreRetryAfter, OutcomeUnknown = exception.OutcomeUnknown, TraceId = traceId,
        };
    }

    private Problem UnexpectedError(HttpContext context, Exception exception)
    {
        var traceId = TraceId(context);
        Log.RequestFailed(logger, exception, context.Request.Method, context.Request.Path, traceId);
        return new Problem(500, "internal-error", "The service failed unexpectedly. Its log holds "
            + $"the cause under trace id {traceId}.") { TraceId = traceId };
    }

    private static string TraceId(HttpContext context) =>
        Activity.Current?.TraceId.ToString() ?? context.TraceIdentifier;
}
