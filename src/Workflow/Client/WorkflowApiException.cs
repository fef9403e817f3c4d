using System.Net;
using Workflow.Contracts.Definitions;

namespace Workflow.Client;

public sealed class WorkflowApiException : Exception
{
    public WorkflowApiException(HttpStatusCode status, string code, string detail, Exception? inner = null)
        : base($"{(int)status} {code}: {detail}", inner)
    {
        Status = status;
        Code = code;
        Detail = detail;
    }

    /// <summary>The error of an answer that came another way than by <see cref="WorkflowClient"/>.</summary>
    /// <param name="status">Its status, 400 or more.</param>
    /// <param name="content">Its body, problem+json or not.</param>
    /// <param name="request">Method and route, for the message.</param>
    public static WorkflowApiException Of(HttpStatusCode status, string content, string request) =>
        ProblemReader.Read(status, content, request, null);

    /// <summary>Status, code and detail, then every one of <see cref="Errors"/> with its place.</summary>
    public override string Message =>
        Errors.Count == 0 ? base.Message : $"{base.Message} {string.Join(" | ", Errors.Select(Described))}";

    public HttpStatusCode Status { get; }

    /// <summary>
    /// Stable kind of error, e.g. <c>instance-not-found</c>; <c>not-a-problem</c> when it is not the service's.
    /// </summary>
    public string Code { get; }

    /// <summary>What happened, with the value concerned and the remedy.</summary>
    public string Detail { get; }

    /// <summary>What is wrong in a definition; empty otherwise.</summary>
    public IReadOnlyList<DefinitionProblem> Errors { get; init; } = [];

    /// <summary>
    /// True when the command may or may not have been committed: repeat it with the same idempotency key.
    /// </summary>
    public bool OutcomeUnknown { get; init; }

    /// <summary>When to try again; null when the service gives no time.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>What to look for in the service's log; null unless the service itself failed.</summary>
    public string? TraceId { get; init; }

    private static string Described(DefinitionProblem error)
    {
        var line = error.Line is { } number ? $", line {number}" : "";
        var column = error.Column is { } position ? $", column {position}" : "";
        return $"{error.Path}{line}{column}: {error.Message}";
    }
}
