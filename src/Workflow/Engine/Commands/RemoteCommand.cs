using Workflow.Contracts;
using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;

namespace Workflow.Engine.Commands;

/// <summary>The content of a message that is a command. Each kind uses some of the members.</summary>
internal sealed record RemoteCommand
{
    /// <summary>Replaces the request hash if a node generated the key: only that node knows the key.</summary>
    public const string NodeHash = "node";

    /// <summary>How long the key of a node is stored. Keys of clients are stored at least as long.</summary>
    public static readonly TimeSpan NodeKeyLifetime = TimeSpan.FromHours(1);

    public string? Definition { get; init; }
    public int Version { get; init; }
    public string? Name { get; init; }
    public string? CorrelationKey { get; init; }
    public string? IdempotencyKey { get; init; }
    public string? RequestHash { get; init; }
    public Guid? Id { get; init; }

    /// <summary>The input, payload, variables or output, as JSON text.</summary>
    public string? Value { get; init; }

    public DateTimeOffset? DueAt { get; init; }
    public string? Assignee { get; init; }

    /// <summary>The step at which a retry continues; null for where the instance stopped.</summary>
    public string? Step { get; init; }

    public DeadLetterRow? Letter { get; init; }

    /// <summary>The trace context of the caller; null if it is not recorded.</summary>
    public string? TraceParent { get; init; }

    public DateTimeOffset AcceptedUtc { get; init; }
    public long AcceptedTicks { get; init; }

    /// <summary>Identifies the clock of the ticks.</summary>
    public string BootId { get; init; } = "";

    public static bool IsKind(string kind) =>
        kind is RemoteKind.Signal or RemoteKind.Send or RemoteKind.Start or RemoteKind.Cancel or RemoteKind.Suspend
            or RemoteKind.Resume or RemoteKind.Retry or RemoteKind.Assign or RemoteKind.Complete or RemoteKind.Replay
            or RemoteKind.Register;

    /// <summary>
    /// Returns the command with a generated key if its caller gave none, so that it is applied once however it arrives.
    /// </summary>
    public RemoteCommand WithKey(Guid id) =>
        IdempotencyKey is null
            ? this with { IdempotencyKey = id.ToString(), RequestHash = RequestHash ?? NodeHash }
            : this;

    public static bool NeedsReply(string kind) => IsKind(kind) && kind != RemoteKind.Signal;

    public static RemoteCommand Parse(ReadOnlySpan<char> json) =>
        JsonSerializer.Deserialize<RemoteCommand>(json, ContractsJson.Default)!;

    /// <summary>Creates the command of a lane from a command of another node.</summary>
    /// <param name="id">The id of the message or request.</param>
    public LaneCommand ToLaneCommand(string kind, Guid id, DefinitionRegistry definitions) => kind switch
    {
        RemoteKind.Signal => new RemoteSignalLaneCommand(ToSignal(), id),
        RemoteKind.Send => new SignalLaneCommand(ToSignal(), id, RequestHash),
        RemoteKind.Start => new StartLaneCommand(
            definitions.Get(Definition!, Version),
            new()
            {
                Definition = Definition!,
                Version = Version,
                Input = ParseValue(),
                CorrelationKey = CorrelationKey,
                IdempotencyKey = IdempotencyKey,
            },
            Id!.Value,
            RequestHash),
        RemoteKind.Cancel => new CancelLaneCommand(Id!.Value, IdempotencyKey, RequestHash),
        RemoteKind.Suspend or RemoteKind.Resume =>
            new ChangeLaneCommand(kind, Id!.Value, IdempotencyKey, RequestHash),
        RemoteKind.Retry => new RetryLaneCommand(
            new() { InstanceId = Id!.Value, Variables = ParseValue(), Step = Step, IdempotencyKey = IdempotencyKey },
            RequestHash),
        RemoteKind.Assign => new AssignTaskLaneCommand(Id!.Value, Assignee!, IdempotencyKey, RequestHash),
        RemoteKind.Complete => new CompleteTaskLaneCommand(
            new() { TaskId = Id!.Value, Output = ParseValue(), IdempotencyKey = IdempotencyKey }, RequestHash),
        RemoteKind.Replay => new ReplayLaneCommand(Letter!, IdempotencyKey, RequestHash),
        RemoteKind.Register => new RegisteredLaneCommand(Definition!, Version, RequestHash!),
        var other => throw new InvalidOperationException($"A command in an inbox is of the unknown kind '{other}'."),
    };

    private SignalCommand ToSignal() => new()
    {
        Name = Name!,
        CorrelationKey = CorrelationKey,
        InstanceId = Id,
        Payload = ParseValue(),
        DueAt = DueAt,
        IdempotencyKey = IdempotencyKey,
    };

    private Value ParseValue() => Value is null ? default : Abstractions.Value.Parse(Value);

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    public static string? TextOf(Value value) => value.IsNull ? null : value.ToString();
}
