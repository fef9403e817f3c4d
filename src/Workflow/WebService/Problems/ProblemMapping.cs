using Workflow.Abstractions.Exceptions;
using Workflow.Bpmn;
using Workflow.Contracts.Definitions;
using Workflow.Diagrams;

namespace Workflow.WebService.Problems;

/// <summary>Maps exceptions and status codes to problems.</summary>
internal static class ProblemMapping
{
    // The engine asks the store again within this time; an earlier request would only wait.
    public static readonly TimeSpan StoreRetryAfter = TimeSpan.FromSeconds(1);

    /// <summary>The problem; null for an unexpected exception.</summary>
    public static Problem? From(Exception exception, HttpRequest request, long maxBodyBytes) => exception switch
    {
        ProblemException e => e.Problem,
        DefinitionInvalidException e => new Problem(400, e.Code,
            e.Message) { Errors = e.Errors.Select(d => new DefinitionProblem(d.Path, d.Message, d.Column)).ToArray() },
        BpmnInvalidException e =>
            new Problem(400, e.Code, e.Message) { Errors = [.. e.Findings.Select(BpmnProblems.Of)] },
        OverloadedException e => new Problem(429, e.Code, e.Message) { RetryAfter = e.RetryAfter },
        SignalsFullException e => new Problem(429, e.Code, e.Message) { RetryAfter = e.RetryAfter },
        LaneMovedException or EngineStoppedException =>
            new Problem(503, ((WorkflowException)exception).Code, exception.Message) { RetryAfter = StoreRetryAfter },
        WorkflowException e => new Problem(StatusOf(e), e.Code, e.Message),
        BadHttpRequestException { StatusCode: 413 } => RequestProblems.TooLarge(
            request.ContentLength > maxBodyBytes ? request.ContentLength : null, maxBodyBytes),
        BadHttpRequestException e => new Problem(e.StatusCode, "request-invalid", RequestProblems.Broken(e.StatusCode)),
        _ => null,
    };

    /// <summary>The problem of an answer that routing has rejected; null if the answer is complete.</summary>
    public static Problem? FromStatus(HttpContext context) => context.Response.StatusCode switch
    {
        404 =>
            new Problem(404, "route-not-found",
                $"There is no route {context.Request.Path}. GET /openapi/v1.json lists those that exist."),
        405 => new Problem(405, "method-not-allowed",
            $"{context.Request.Method} is not allowed on {context.Request.Path}. Allowed: "
                + $"{context.Response.Headers.Allow}."),
        415 => RequestProblems.WrongContentType(context.Request),
        >= 400 => new Problem(
            context.Response.StatusCode, "request-invalid",
            $"{context.Request.Method} {context.Request.Path} was not accepted."),
        _ => null,
    };

    private static int StatusOf(WorkflowException exception) => exception switch
    {
        DefinitionConflictException or InstanceFinishedException or InstanceStateException or TaskClosedException
            or DeadLetterRefusedException => 409,
        DefinitionNotFoundException or InstanceNotFoundException or TaskNotFoundException
            or DeadLetterNotFoundException => 404,
        InvalidCommandException => 400,
        IdempotencyConflictException or CommandRejectedException or SignalUnreceivedException
            or DefinitionsFullException or DiagramTooLargeException => 422,
        _ => 500,
    };
}
