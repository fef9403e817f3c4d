using Workflow.Contracts;
using Workflow.WebService.Responses;
using Workflow.WebService.Ui;

namespace Workflow.WebService.Problems;

/// <summary>Answers a request with a problem: as JSON, or as a page under <c>/ui</c>.</summary>
internal static class ProblemResponse
{
    public static Task WriteAsync(HttpContext context, Problem problem)
    {
        AddRetryAfter(context, problem);
        return context.Features.Get<ProblemPage>() is { } page
            ? page.WriteAsync(context, problem)
            : JsonResponse.WriteAsync(context, problem.Status, problem, Write, "application/problem+json");
    }

    public static void AddRetryAfter(HttpContext context, Problem problem)
    {
        if (problem.RetryAfter is { } retryAfter)
        {
            context.Response.Headers.RetryAfter = Math.Max(1, (int)Math.Ceiling(retryAfter.TotalSeconds))
                .ToString(CultureInfo.InvariantCulture);
        }
    }

    /// <summary>Writes the problem as the JSON of an answer.</summary>
    public static void Write(Utf8JsonWriter json, Problem problem)
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
