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
        WorkflowException e => Of(e),
        BadHttpRequestException { StatusCode: 413 } => RequestProblems.TooLarge(
            request.ContentLength > maxBodyBytes ? request.ContentLength : null, maxBodyBytes),
        BadHttpRequestException e => new Problem(e.StatusCode, "request-invalid", RequestProblems.Broken(e.StatusCode)),
        _ => null,
    };

    /// <summary>The problem of an error that the engine reports.</summary>
    public static Problem Of(WorkflowException exception) => exception switch
    {
        DefinitionInvalidException e => Invalid(
            "definition", e.Code, [.. e.Errors.Select(d => new DefinitionProblem(d.Path, d.Message, d.Column))]),
        BpmnInvalidException e => Invalid("BPMN file", e.Code, [.. e.Findings.Select(BpmnProblems.Of)]),
        OverloadedException e => new Problem(429, e.Code, e.Message) { RetryAfter = e.RetryAfter },
        SignalsFullException e => new Problem(429, e.Code, e.Message) { RetryAfter = e.RetryAfter },
        LaneMovedException or EngineStoppedException =>
            new Problem(503, exception.Code, exception.Message) { RetryAfter = StoreRetryAfter },
        _ => new Problem(StatusOf(exception), exception.Code, exception.Message),
    };

    /// <summary>The detail counts the errors and does not repeat them: clients show both.</summary>
    private static Problem Invalid(string what, string code, IReadOnlyList<DefinitionProblem> errors) => new(
        400, code,
        string.Create(
            CultureInfo.InvariantCulture,
            $"The {what} has {errors.Count} {(errors.Count == 1 ? "error" : "errors")}. "
            + $"'errors' lists each with its place and the remedy."))
    {
        Errors = errors,
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
