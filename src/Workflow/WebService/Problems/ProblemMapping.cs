using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Definitions;

namespace Workflow.WebService.Problems;

/// <summary>Which answer an exception leads to.</summary>
internal static class ProblemMapping
{
    // The store is asked again by the engine within this time; an earlier repetition would only queue up.
    private static readonly TimeSpan StoreRetryAfter = TimeSpan.FromSeconds(1);

    /// <summary>The answer; null for an exception that nobody foresaw.</summary>
    public static Problem? From(Exception exception, HttpRequest request, long maxBodyBytes) => exception switch
    {
        ProblemException e => e.Problem,
        DefinitionInvalidException e => new Problem(400, e.Code, e.Message) { Errors = e.Errors.Select(d => new DefinitionProblem(d.Path, d.Message, d.Column)).ToArray() },
        OverloadedException e => new Problem(429, e.Code, e.Message) { RetryAfter = e.RetryAfter },
        StoreUnavailableException e => new Problem(503, e.Code, e.Message) { RetryAfter = StoreRetryAfter, OutcomeUnknown = e.OutcomeUnknown },
        LaneMovedException or EngineStoppedException => new Problem(503, ((WorkflowException)exception).Code, exception.Message) { RetryAfter = StoreRetryAfter },
        WorkflowException e => new Problem(StatusOf(e), e.Code, e.Message),
        BadHttpRequestException { StatusCode: 413 } => RequestProblems.TooLarge(request.ContentLength, maxBodyBytes),
        BadHttpRequestException e => new Problem(e.StatusCode, "request-invalid", e.Message),
        _ => null,
    };

    /// <summary>The answer where routing alone has decided; null where the answer is complete.</summary>
    public static Problem? FromStatus(HttpContext context) => context.Response.StatusCode switch
    {
        404 => new Problem(404, "route-not-found", $"There is no route {context.Request.Path}. GET /openapi/v1.json lists those there are."),
        405 => new Problem(405, "method-not-allowed", $"{context.Request.Method} is not allowed on {context.Request.Path}. Allowed: {context.Response.Headers.Allow}."),
        415 => RequestProblems.WrongContentType(context.Request.ContentType),
        >= 400 => new Problem(context.Response.StatusCode, "request-invalid", $"{context.Request.Method} {context.Request.Path} was not accepted."),
        _ => null,
    };

    private static int StatusOf(WorkflowException exception) => exception switch
    {
        DefinitionConflictException or InstanceFinishedException or TaskClosedException or DeadLetterRefusedException => 409,
        DefinitionNotFoundException or InstanceNotFoundException or TaskNotFoundException or DeadLetterNotFoundException => 404,
        InvalidCommandException => 400,
        IdempotencyConflictException or CommandRejectedException => 422,
        _ => 500,
    };
}
