using System.Net;
using Workflow.Contracts;
using Workflow.Contracts.Definitions;

namespace Workflow.Client;

/// <summary>Reads problem+json, and makes the best of answers that are none, e.g. of a proxy.</summary>
internal static class ProblemReader
{
    public const string NotAProblem = "not-a-problem";

    private const string TypePrefix = "urn:workflow:";
    private const int QuotedLength = 500;

    public static WorkflowApiException Read(HttpStatusCode status, string? content, string request, Exception? inner)
    {
        try
        {
            using var document = JsonDocument.Parse(content ?? "");
            if (document.RootElement.ValueKind == JsonValueKind.Object
                && Text(document.RootElement, "type") is { } type)
            {
                return FromProblem(status, document.RootElement, type, inner);
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // Not from the service, e.g. half a character: the text itself is the best evidence there is.
        }

        var quoted = content is { Length: > QuotedLength } ? content[..QuotedLength] + "..." : content;
        return new WorkflowApiException(
            status, NotAProblem, $"{request} answered {(int)status} without problem+json: '{quoted}'", inner);
    }

    private static WorkflowApiException FromProblem(
        HttpStatusCode status, JsonElement problem, string type, Exception? inner)
    {
        var code = type.StartsWith(TypePrefix, StringComparison.Ordinal) ? type[TypePrefix.Length..] : type;
        return new WorkflowApiException(status, code, Text(problem, "detail") ?? Text(problem, "title") ?? code, inner)
        {
            Errors = problem.TryGetProperty("errors", out var errors)
                ? errors.Deserialize<DefinitionProblem[]>(ContractsJson.Default) ?? []
                : [],
            OutcomeUnknown = problem.TryGetProperty("outcomeUnknown", out var unknown)
                && unknown.ValueKind == JsonValueKind.True,
            RetryAfter = problem.TryGetProperty("retryAfterSeconds", out var seconds) ? Seconds(seconds) : null,
            TraceId = Text(problem, "traceId"),
        };
    }

    /// <summary>Null for any other text, e.g. the header of a proxy.</summary>
    private static TimeSpan? Seconds(JsonElement value) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetDouble(out var seconds) && seconds is >= 0 and < 1e9
            ? TimeSpan.FromSeconds(seconds)
            : null;

    private static string? Text(JsonElement problem, string member) =>
        problem.TryGetProperty(member, out var value) && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;
}
