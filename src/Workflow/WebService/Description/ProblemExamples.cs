using System.Buffers;
using System.Text.Json.Nodes;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Tasks;
using Workflow.Diagrams;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Description;

/// <summary>Examples of errors: for each route and status one that the route answers, in the service's words.</summary>
internal static class ProblemExamples
{
    /// <summary>The example; null if the status has none.</summary>
    public static JsonNode? Of(string? method, string path, int status)
    {
        var area = path.Split('/')[1];
        var problem = status switch
        {
            400 => Malformed(method, path),
            404 => ProblemMapping.Of(Missing(area)),
            409 => ProblemMapping.Of(Conflict(area)),
            422 => ProblemMapping.Of(Refused(path)),
            429 => ProblemMapping.Of(new OverloadedException(1_000, 1_000, TimeSpan.FromSeconds(1))),
            503 when area == "health" => new Problem(503, "not-ready", "The service is stopping."),
            503 => ProblemMapping.Of(new LaneMovedException(3)),
            _ => null,
        };
        if (problem is null)
        {
            return null;
        }

        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer))
        {
            ProblemResponse.Write(json, problem);
        }

        return JsonNode.Parse(buffer.WrittenSpan);
    }

    private static Problem? Malformed(string? method, string path)
    {
        if (path.StartsWith("/definitions", StringComparison.Ordinal) && method == "POST")
        {
            return ProblemMapping.Of(new DefinitionInvalidException(
                [new DefinitionError("steps.pay.next", "There is no step 'pick'. Steps: pay, pack, done.")]));
        }

        return (path switch
        {
            _ when path.Contains("{id}", StringComparison.Ordinal) =>
                RequestProblems.MalformedId("17", "an id", "the id of an answer"),
            _ when path.Contains("{version}", StringComparison.Ordinal) => RequestProblems.BadVersion("latest"),
            "/definitions/{name}/code" => RequestProblems.BadVersion("latest"),
            "/definitions/{name}/diagram" => RequestProblems.BadQuery("counts", "yes", "true or false"),
            "/events" => RequestProblems.UnknownQuery("from", "definition, lastEventId"),
            "/instances/retry" or "/instances/cancel" or "/dead-letters/replay" =>
                RequestProblems.MissingMember("ids", "ids"),
            _ when method == "POST" => RequestProblems.MissingMember("name", "name, correlationKey, payload, dueAt"),
            _ => RequestProblems.BadQuery("limit", "0", "a whole number from 1 to 1000"),
        }).Problem;
    }

    private static WorkflowException Missing(string area) => area switch
    {
        "definitions" => new DefinitionNotFoundException("shop-order", null),
        "tasks" => new TaskNotFoundException(ApiExamples.Task.Id),
        "dead-letters" => new DeadLetterNotFoundException(ApiExamples.Letter),
        _ => new InstanceNotFoundException(ApiExamples.Instance),
    };

    private static WorkflowException Conflict(string area) => area switch
    {
        "definitions" => new DefinitionConflictException("shop-order", 1, new string('3', 64), new string('8', 64)),
        "tasks" => new TaskClosedException(ApiExamples.Task with { State = TaskState.Completed }),
        "dead-letters" => new DeadLetterRefusedException(ApiExamples.Letter, 4, "The bank does not answer."),
        _ => new InstanceFinishedException(ApiExamples.Instance, "completed", "order-paid"),
    };

    private static WorkflowException Refused(string path) => path switch
    {
        "/definitions" => new DefinitionsFullException(10_000, 10_000, 52_000_000, 100_000_000),
        "/definitions/{name}/diagram" => new DiagramTooLargeException(
            "The diagram of 'shop-order' has 4001 edges", DiagramRenderer.MaxEdges,
            "join cases and events that lead to one step"),
        _ => new IdempotencyConflictException("order-4711"),
    };
}
