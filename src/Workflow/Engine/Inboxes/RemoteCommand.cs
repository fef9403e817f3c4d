using System.Text.Json;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Execution;

namespace Workflow.Engine.Inboxes;

/// <summary>The body of a message that is a command: each kind uses some of the members.</summary>
internal sealed record RemoteCommand
{
    public string? Definition { get; init; }

    public int Version { get; init; }

    public string? Name { get; init; }

    public string? CorrelationKey { get; init; }

    public string? IdempotencyKey { get; init; }

    public string? RequestHash { get; init; }

    /// <summary>The instance or the task.</summary>
    public Guid? Id { get; init; }

    /// <summary>Input, payload or output, as JSON text.</summary>
    public string? Value { get; init; }

    public DateTimeOffset? DueAt { get; init; }

    public string? Assignee { get; init; }

    public DeadLetterRow? Letter { get; init; }

    public DateTimeOffset AcceptedUtc { get; init; }

    public long AcceptedTicks { get; init; }

    /// <summary>Whose clock the ticks are of.</summary>
    public string BootId { get; init; } = "";

    public static bool IsKind(string kind) =>
        kind is RemoteKind.Signal or RemoteKind.Start or RemoteKind.Cancel or RemoteKind.Assign or RemoteKind.Complete or RemoteKind.Replay;

    public static RemoteCommand Parse(string json) =>
        JsonSerializer.Deserialize<RemoteCommand>(json, ContractsJson.Default) ?? throw new JsonException("A command in an inbox is the JSON text null.");

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    /// <summary>The command as its lane carries it out.</summary>
    public LaneCommand ToLaneCommand(MessageRow message, Func<string, int, WorkflowDefinition> definitionOf) => message.Kind switch
    {
        RemoteKind.Signal => new RemoteSignalLaneCommand(
            new() { Name = Name!, CorrelationKey = CorrelationKey, InstanceId = Id, Payload = ValueOf(), DueAt = DueAt }, message.Id),
        RemoteKind.Start => new StartLaneCommand(
            definitionOf(Definition!, Version),
            new() { Definition = Definition!, Version = Version, Input = ValueOf(), CorrelationKey = CorrelationKey, IdempotencyKey = IdempotencyKey },
            Id!.Value,
            RequestHash),
        RemoteKind.Cancel => new CancelLaneCommand(Id!.Value),
        RemoteKind.Assign => new AssignTaskLaneCommand(Id!.Value, Assignee!),
        RemoteKind.Complete => new CompleteTaskLaneCommand(new() { TaskId = Id!.Value, Output = ValueOf(), IdempotencyKey = IdempotencyKey }, RequestHash),
        RemoteKind.Replay => new ReplayLaneCommand(Letter!),
        var other => throw new InvalidOperationException($"A command in an inbox is of the unknown kind '{other}'."),
    };

    public static string? TextOf(Value value) => value.IsNull ? null : value.ToString();

    private Value ValueOf() => Value is null ? Abstractions.Value.Null : Abstractions.Value.Parse(Value);
}
