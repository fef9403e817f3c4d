using System.Text.Json;
using Foundation;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts;
using Workflow.Engine.Commands;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Instances;
using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;

namespace Workflow.Engine.Lanes;

/// <summary>A message from a partition of another lane, or a command of another node. After a reload the snapshot's copy counts.</summary>
internal sealed class MessageLaneCommand : LaneCommand
{
    private readonly MessageRow _message;
    private readonly bool _fromSnapshot;
    private readonly LaneCommand? _remote;

    public MessageLaneCommand(MessageRow message, bool fromSnapshot, Func<string, int, WorkflowDefinition> definitionOf)
    {
        _message = message;
        _fromSnapshot = fromSnapshot;
        if (!RemoteCommand.IsKind(message.Kind))
        {
            return;
        }

        var command = RemoteCommand.Parse(message.Body);
        _remote = command.ToLaneCommand(message, definitionOf);
        AcceptedUtc = command.AcceptedUtc;
        Trace = command.TraceParent;
        AcceptedTicks = command.BootId == BootId.Current ? command.AcceptedTicks : 0;
    }

    /// <summary>The retry that it carries; null for any other.</summary>
    public RetryLaneCommand? Retry => _remote as RetryLaneCommand;

    public override Guid SubjectId => _message.Id;
    public override long Size => _message.Body.Length;
    public override string? Key => _remote?.Key;
    public override string Description => _remote?.Description ?? $"message '{_message.Kind}' {_message.Id}";
    public override bool CanDeadLetter => true;

    /// <summary>A command without a waiting caller becomes a dead letter, as it does on its own node; the others are refused.</summary>
    public override void DeadLetter(LaneExecutor executor, Guid deadLetterId, string reason, int attempts)
    {
        if (_remote is null)
        {
            executor.DeadLetterMessage(_message, deadLetterId, reason, attempts);
            return;
        }

        if (!executor.IsToBeApplied(_message.Id))
        {
            return;
        }

        if (_remote.CanDeadLetter)
        {
            _remote.DeadLetter(executor, deadLetterId, reason, attempts);
        }
        else
        {
            _remote.Refuse(new CommandRejectedException(reason));
        }

        executor.AddReply(_message, _remote.Reply);
    }

    public override void Apply(LaneExecutor executor)
    {
        if (!executor.IsToBeApplied(_message.Id, _fromSnapshot))
        {
            return;
        }

        if (_remote is null)
        {
            executor.ApplyMessage(_message);
            return;
        }

        _remote.Apply(executor);
        executor.AddReply(_message, _remote.Reply);
    }
}

/// <summary>The body of a message that is a command: each kind uses some of the members.</summary>
internal sealed record RemoteCommand
{
    public string? Definition { get; init; }
    public int Version { get; init; }
    public string? Name { get; init; }
    public string? CorrelationKey { get; init; }
    public string? IdempotencyKey { get; init; }
    public string? RequestHash { get; init; }
    public Guid? Id { get; init; }

    /// <summary>Input, payload, variables or output, as JSON text.</summary>
    public string? Value { get; init; }

    public DateTimeOffset? DueAt { get; init; }
    public string? Assignee { get; init; }
    public DeadLetterRow? Letter { get; init; }

    /// <summary>The trace context of its caller; null where that is not recorded.</summary>
    public string? TraceParent { get; init; }

    public DateTimeOffset AcceptedUtc { get; init; }
    public long AcceptedTicks { get; init; }

    /// <summary>The clock of the ticks.</summary>
    public string BootId { get; init; } = "";

    public static bool IsKind(string kind) =>
        kind is RemoteKind.Signal or RemoteKind.Start or RemoteKind.Cancel or RemoteKind.Suspend or RemoteKind.Resume or RemoteKind.Retry
            or RemoteKind.Assign or RemoteKind.Complete or RemoteKind.Replay
            or RemoteKind.Register;

    public static RemoteCommand Parse(string json) =>
        JsonSerializer.Deserialize<RemoteCommand>(json, ContractsJson.Default)
            ?? throw new JsonException("A command in an inbox is the JSON text null.");

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    public LaneCommand ToLaneCommand(MessageRow message, Func<string, int, WorkflowDefinition> definitionOf) => message.Kind switch
    {
        RemoteKind.Signal => new RemoteSignalLaneCommand(
            new() { Name = Name!, CorrelationKey = CorrelationKey, InstanceId = Id, Payload = ValueOf(), DueAt = StorableDueAt },
            message.Id),
        RemoteKind.Start => new StartLaneCommand(
            definitionOf(Definition!, Version),
            new()
            {
                Definition = Definition!,
                Version = Version,
                Input = ValueOf(),
                CorrelationKey = CorrelationKey,
                IdempotencyKey = IdempotencyKey,
            },
            Id!.Value,
            RequestHash),
        RemoteKind.Cancel => new CancelLaneCommand(Id!.Value, IdempotencyKey, RequestHash),
        RemoteKind.Suspend or RemoteKind.Resume => new ChangeLaneCommand(message.Kind, Id!.Value, IdempotencyKey, RequestHash),
        RemoteKind.Retry => new RetryLaneCommand(
            new() { InstanceId = Id!.Value, Variables = ValueOf(), IdempotencyKey = IdempotencyKey }, RequestHash),
        RemoteKind.Assign => new AssignTaskLaneCommand(Id!.Value, Assignee!, IdempotencyKey, RequestHash),
        RemoteKind.Complete =>
            new CompleteTaskLaneCommand(new() { TaskId = Id!.Value, Output = ValueOf(), IdempotencyKey = IdempotencyKey }, RequestHash),
        RemoteKind.Replay => new ReplayLaneCommand(Letter!, IdempotencyKey, RequestHash),
        RemoteKind.Register => new RegisteredLaneCommand(Definition!, Version, RequestHash!),
        var other => throw new InvalidOperationException($"A command in an inbox is of the unknown kind '{other}'."),
    };

    public static string? TextOf(Value value) => value.IsNull ? null : value.ToString();

    /// <summary>A node of an older version accepted any; what it accepted is not lost.</summary>
    private DateTimeOffset? StorableDueAt => DueAt > StoreLimits.LatestInstant ? StoreLimits.LatestInstant : DueAt;

    private Value ValueOf() => Value is null ? Abstractions.Value.Null : Abstractions.Value.Parse(Value);
}

/// <summary>Kinds of messages that are commands from other nodes.</summary>
internal static class RemoteKind
{
    /// <summary>A signal: accepted with the message, so that no caller waits for a reply.</summary>
    public const string Signal = "signal";

    public const string Start = "start";
    public const string Cancel = "cancel";
    public const string Suspend = "suspend";
    public const string Resume = "resume";
    public const string Retry = "retry";
    public const string Assign = "assign";
    public const string Complete = "complete";
    public const string Replay = "replay";

    /// <summary>A definition was registered: its event.</summary>
    public const string Register = "register";
}
