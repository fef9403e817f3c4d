using System.Text.Json.Nodes;
using Workflow.Abstractions.Building;
using Workflow.Contracts;
using Workflow.Contracts.Bulk;
using Workflow.Contracts.Cluster;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;
using Workflow.Diagrams;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Description;

/// <summary>
/// Examples of the bodies of all routes. They tell of one order, which is paid and then packed. The service accepts
/// every request as it stands. A new contract gets its line in <see cref="ByType"/>.
/// </summary>
internal static class ApiExamples
{
    public const string Definition = """
        {
          "name": "shop-order", "version": 1, "start": "pay",
          "steps": {
            "pay": { "type": "waitSignal", "signal": "order-paid", "correlation": "= order", "result": "payment",
              "next": "pack" },
            "pack": { "type": "task", "groups": [ "warehouse" ], "result": "parcel", "next": "done" },
            "done": { "type": "end", "output": { "order": "= order", "parcel": "= parcel" } }
          }
        }
        """;

    public const string Bpmn = """
        <?xml version="1.0" encoding="UTF-8"?>
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:shop">
          <process id="shop-packing" isExecutable="true">
            <startEvent id="ordered" />
            <sequenceFlow id="toPack" sourceRef="ordered" targetRef="pack" />
            <userTask id="pack" name="Pack the order" />
            <sequenceFlow id="toDone" sourceRef="pack" targetRef="done" />
            <endEvent id="done" />
          </process>
        </definitions>
        """;

    public static readonly Guid Instance = Guid.Parse("01890a5d-ac96-774b-bcce-b302099a8057");
    public static readonly Guid Letter = Guid.Parse("01890a5d-b46b-7c31-9d52-61f1b7c0a3de");
    public static readonly Guid Signal = Guid.Parse("01890a5d-b0f2-7d06-8b1c-3f4c5e9f2a71");

    private const string Name = "shop-order";
    private const string Key = "order-4711";
    private const string Paid = "order-paid";

    private static readonly Guid TaskId = Guid.Parse("01890a5d-b0f3-7a9e-a0c4-d2b86f1e5c90");
    private static readonly DateTimeOffset Started = new(2026, 1, 31, 12, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset PaidAt = Started.AddMinutes(5);
    private static readonly JsonElement Variables = Json("""{ "order": "order-4711", "amount": 120 }""");
    private static readonly JsonElement Payment = Json("""{ "method": "card", "amount": 120 }""");
    private static readonly JsonElement Parcel = Json("""{ "parcel": "P-1" }""");

    private static readonly DefinitionInfo Registered = new(
        Name, 1, "3d1f0c5a7b9e42680d1c3f5a7b9e42683d1f0c5a7b9e42680d1c3f5a7b9e4268", Started);

    private static readonly InstanceView Waiting = new()
    {
        Id = Instance, Definition = Name, Version = 1, CorrelationKey = Key, State = InstanceState.Waiting,
        Variables = Variables, Waits = [new("pay", "signal", Paid, Key, null)], CreatedUtc = Started,
        UpdatedUtc = Started,
    };

    public static readonly TaskView Task = new()
    {
        Id = TaskId, InstanceId = Instance, Definition = Name, DefinitionVersion = 1, CorrelationKey = Key,
        Step = "pack", State = TaskState.Open, Assignee = "ann", Groups = ["warehouse"], CreatedUtc = PaidAt,
        UpdatedUtc = PaidAt,
    };

    private static readonly DeadLetter Unapplied = new()
    {
        Id = Letter, Kind = DeadLetterKind.Signal, Attempts = 3, CreatedUtc = PaidAt,
        LastAttemptUtc = PaidAt.AddMinutes(1), Reason = "The receiver 'billing' failed: the bank does not answer.",
        Payload = Json("""{ "name": "billing", "correlationKey": "order-4711" }"""),
    };

    private static readonly Dictionary<Type, object> ByType = new()
    {
        [typeof(DefinitionInfo)] = Registered,
        [typeof(IReadOnlyList<DefinitionInfo>)] = new[] { Registered },
        [typeof(DefinitionValidation)] = new DefinitionValidation(
            false, [new("steps.done.output.order", "The expression '= order +' ends after '+'.", 9)]),
        [typeof(StartInstance)] = new StartInstance { Definition = Name, CorrelationKey = Key, Input = Variables },
        [typeof(InstanceStarted)] = new InstanceStarted(Instance, Name, 1, InstanceState.Waiting, false),
        [typeof(InstanceView)] = Waiting,
        [typeof(InstanceList)] = new InstanceList([Waiting], Instance),
        [typeof(IReadOnlyList<HistoryEntry>)] = new HistoryEntry[]
        {
            new(Started, "started"), new(Started, "waiting", "pay", Paid), new(PaidAt, "signalled", "pay", Paid),
        },
        [typeof(InstanceCancellation)] = new InstanceCancellation(Instance, false),
        [typeof(InstanceChange)] = new InstanceChange(Instance, InstanceState.Waiting, false),
        [typeof(RetryInstance)] = new RetryInstance { Variables = Variables, Step = "pay" },
        [typeof(SendSignal)] = new SendSignal { Name = Paid, CorrelationKey = Key, Payload = Payment },
        [typeof(SendInstanceSignal)] = new SendInstanceSignal { Name = Paid, Payload = Payment },
        [typeof(SignalAccepted)] = new SignalAccepted(Signal, true, false),
        [typeof(TaskView)] = Task,
        [typeof(TaskList)] = new TaskList([Task], TaskId),
        [typeof(AssignTask)] = new AssignTask { Assignee = "ann" },
        [typeof(CompleteTask)] = new CompleteTask { Output = Parcel },
        [typeof(TaskAccepted)] = new TaskAccepted(TaskId, Instance, TaskState.Completed, "ann", false),
        [typeof(DeadLetterList)] = new DeadLetterList([Unapplied], Letter),
        [typeof(BulkRequest)] = new BulkRequest { Ids = [Instance, Letter] },
        [typeof(BulkReport)] = new BulkReport(
            [
                new(Instance, BulkOutcome.Done),
                new(Letter, BulkOutcome.Refused, "instance-not-found", $"There is no instance {Letter}."),
            ]),
        [typeof(DeadLetterReplayed)] = new DeadLetterReplayed(Letter, true, false),
        [typeof(ClusterInfo)] = new ClusterInfo(
            Partitions.Count,
            [
                new(0, "node-a", new("http://10.0.0.7:5080"), Epoch: 7),
                new(1, "node-b", new("http://10.0.0.8:5080"), Epoch: 12),
            ]),
    };

    /// <summary>The example of a request; null if its contract has none.</summary>
    public static JsonNode? OfRequest(Type? contract, string mediaType)
    {
        if (contract == typeof(object))
        {
            return mediaType == RequestBody.Json ? JsonNode.Parse(Definition) : Bpmn;
        }

        return OfContract(contract);
    }

    /// <summary>The example of a successful answer; null if it has none.</summary>
    public static JsonNode? OfResponse(string path, Type? contract, string mediaType) => path switch
    {
        "/definitions/{name}" or "/definitions/{name}/versions/{version}" => JsonNode.Parse(Definition),
        "/definitions/{name}/code" => DefinitionDecompiler.Decompile(Encoding.UTF8.GetBytes(Definition)),
        "/definitions/{name}/diagram" => OfDiagram(mediaType),
        "/events" => $"""
            id: 0:3
            event: {nameof(InstanceCompleted)}
            data: {EventTypes.ToJson(Completed())}


            """,
        "/health/live" => new JsonObject { ["status"] = "live" },
        "/health/ready" => new JsonObject { ["status"] = "ready" },
        "/metrics" => """
            # TYPE workflow_instances_completed_total counter
            workflow_instances_completed_total 1

            """,
        _ => OfContract(contract),
    };

    private static JsonNode? OfContract(Type? contract) =>
        contract is not null && ByType.TryGetValue(contract, out var example)
            ? JsonSerializer.SerializeToNode(example, contract, ContractsJson.Default)
            : null;

    private static JsonNode? OfDiagram(string mediaType)
    {
        var format = mediaType switch
        {
            "application/json" => DiagramFormat.Elk,
            "application/xml" => DiagramFormat.Bpmn,
            "text/plain" => DiagramFormat.Mermaid,
            _ => DiagramFormat.Svg,
        };
        var picture = DiagramRenderer.Render(DiagramRenderer.Read(Definition), format);
        return format == DiagramFormat.Elk ? JsonNode.Parse(picture) : picture;
    }

    private static InstanceCompleted Completed() => new()
    {
        Id = "0-3", InstanceId = Instance, Definition = Name, DefinitionVersion = 1, CorrelationKey = Key,
        Output = Parcel,
        Timestamps = new()
        {
            AcceptedUtc = PaidAt, ExecutedUtc = PaidAt, AcceptedTicks = 1_000, ExecutedTicks = 2_000,
            TicksPerSecond = 1_000_000_000, BootId = "4f6c1d0e",
        },
    };

    private static JsonElement Json(string text) => JsonSerializer.Deserialize<JsonElement>(text);
}
