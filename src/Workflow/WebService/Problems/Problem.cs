using Workflow.Contracts;
using Workflow.Contracts.Definitions;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Problems;

/// <summary>An error as a client sees it (RFC 9457).</summary>
/// <param name="Code">Stable, kebab-case kind of error; the last part of the problem's type.</param>
/// <param name="Detail">What happened, with the value concerned and the remedy.</param>
internal sealed record Problem(int Status, string Code, string Detail)
{
    public const string TypePrefix = "urn:workflow:";

    public IReadOnlyList<DefinitionProblem>? Errors { get; init; }

    /// <summary>True when the command may or may not have been committed.</summary>
    public bool? OutcomeUnknown { get; init; }

    public TimeSpan? RetryAfter { get; init; }

    /// <summary>What to look for in the log of the service; only where the client cannot know the cause.</summary>
    public string? TraceId { get; init; }

    /// <summary>The code in words: <c>instance-not-found</c> is <c>Instance not found</c>.</summary>
    public string Title => char.ToUpperInvariant(Code[0]) + Code[1..].Replace('-', ' ');
}

/// <summary>A request that cannot be understood or is not allowed, found before the engine was asked.</summary>
internal sealed class ProblemException(Problem problem, Exception? inner = null) : Exception(problem.Detail, inner)
{
    public Problem Problem { get; } = problem;
}

/// <summary>Writes the problems of a request in another form than JSON: a feature of the request.</summary>
internal interface IProblemWriter
{
    Task WriteAsync(HttpContext context, Problem problem);
}

/// <summary>Writes a problem.</summary>
internal static class ProblemResponse
{
    public static Task WriteAsync(HttpContext context, Problem problem)
    {
        if (problem.RetryAfter is { } retryAfter)
        {
            context.Response.Headers.RetryAfter = Math.Max(1, (int)Math.Ceiling(retryAfter.TotalSeconds))
                .ToString(CultureInfo.InvariantCulture);
        }

        return context.Features.Get<IProblemWriter>() is { } writer
            ? writer.WriteAsync(context, problem)
            : JsonResponse.WriteAsync(context, problem.Status, problem, Write, "application/problem+json");
    }

    private static void Write(Utf8JsonWriter json, Problem problem)
    {
        json.WriteStartObject();
        json.WriteString("type", Problem.TypePrefix + problem.Code);
        json.WriteString("title", problem.Title);
        json.WriteNumber("status", problem.Status);
        json.WriteString("detail", problem.Detail);
        WriteExtensions(json, problem);
        json.WriteEndObject();
    }

    private static void WriteExtensions(Utf8JsonWriter json, Problem problem)
    {
        if (problem.Errors is { } errors)
        {
            json.WritePropertyName("errors");
            JsonSerializer.Serialize(json, errors, ContractsJson.Default);
        }

        if (problem.OutcomeUnknown is { } outcomeUnknown)
        {
            json.WriteBoolean("outcomeUnknown", outcomeUnknown);
        }

        if (problem.RetryAfter is { } retryAfter)
        {
            json.WriteNumber("retryAfterSeconds", retryAfter.TotalSeconds);
        }

        if (problem.TraceId is { } traceId)
        {
            json.WriteString("traceId", traceId);
        }
    }
}
