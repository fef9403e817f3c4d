using System.Globalization;
using System.Text.Json;
using Workflow.Contracts;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Responses;

/// <summary>Writes a problem.</summary>
internal static class ProblemResponse
{
    public static Task WriteAsync(HttpContext context, Problem problem)
    {
        if (problem.RetryAfter is { } retryAfter)
        {
            context.Response.Headers.RetryAfter = Math.Max(1, (int)Math.Ceiling(retryAfter.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        }

        return JsonResponse.WriteAsync(context, problem.Status, problem, Write, "application/problem+json");
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
