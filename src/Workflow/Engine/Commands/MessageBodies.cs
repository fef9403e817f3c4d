using System.Text.Json.Serialization;
using Workflow.Contracts;

namespace Workflow.Engine.Commands;

/// <summary>What a message between partitions asks.</summary>
internal sealed record PartitionMessage
{
    /// <summary>An instance of another partition begins to wait here.</summary>
    public const string Subscribe = "subscribe";

    public const string Unsubscribe = "unsubscribe";

    /// <summary>A signal for its wait.</summary>
    public const string Deliver = "deliver";

    /// <summary>The wait was over when the signal came: it goes to the next waiter.</summary>
    public const string Return = "return";

    public Guid WaitId { get; init; }
    public Guid InstanceId { get; init; }
    public string Name { get; init; } = "";
    public string Key { get; init; } = "";
    public long Position { get; init; }
    public AcceptedSignal? Signal { get; init; }

    /// <summary>The instance it concerns; null for a signal without a waiter.</summary>
    [JsonIgnore]
    public Guid? AddressedTo => InstanceId == Guid.Empty ? null : InstanceId;

    /// <summary>Sends it to the lane of a partition, with the commit of the present batch.</summary>
    public void Send(LaneContext lane, short partition, string kind)
    {
        lane.Batch.Tally.Messages++;
        lane.Batch.AddMessage(Message.Of(lane.NewId(), partition, kind, ToJson(), lane.NextPosition()));
    }

    public string ToJson() => JsonSerializer.Serialize(this);

    public static PartitionMessage Parse(ReadOnlySpan<char> json) =>
        JsonSerializer.Deserialize<PartitionMessage>(json)
            ?? throw new JsonException("A message between partitions is the JSON text null.");
}

/// <summary>The reply to a command in an inbox: its result, or why it was refused.</summary>
internal sealed record RemoteReply
{
    public JsonElement? Result { get; init; }
    public string? Code { get; init; }
    public string? Message { get; init; }

    /// <summary>What the refusal is about: a key or a dead letter.</summary>
    public string? Subject { get; init; }

    public int Attempts { get; init; }

    /// <summary>Of a refusal that is over after a while.</summary>
    public double? RetryAfterSeconds { get; init; }

    public static RemoteReply Of<T>(T result) => new() { Result = JsonSerializer.SerializeToElement(result, ContractsJson.Default) };

    public static RemoteReply Of(Exception refusal) => refusal switch
    {
        IdempotencyConflictException e => new() { Code = e.Code, Subject = e.Key },
        DeadLetterRefusedException e => new() { Code = e.Code, Subject = e.Id.ToString(), Attempts = e.Attempts, Message = e.Reason },
        OverloadedException e => new() { Code = e.Code, Message = e.Message, RetryAfterSeconds = e.RetryAfter.TotalSeconds },
        WorkflowException e => new() { Code = e.Code, Message = e.Message },
        _ => new() { Code = "command-rejected", Message = refusal.Message },
    };

    public static RemoteReply Parse(string json) =>
        JsonSerializer.Deserialize<RemoteReply>(json, ContractsJson.Default)
            ?? throw new JsonException("The reply to a command is the JSON text null.");

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    /// <summary>The result, which may be null, or the refusal.</summary>
    public T Get<T>() => Code switch
    {
        null => Result is { } result ? result.Deserialize<T>(ContractsJson.Default)! : default!,
        "idempotency-conflict" => throw new IdempotencyConflictException(Subject!),
        "overloaded" => throw OverloadedException.OfOwner(Message!, TimeSpan.FromSeconds(RetryAfterSeconds ?? 1)),
        "dead-letter-refused" => throw new DeadLetterRefusedException(Guid.Parse(Subject!), Attempts, Message!),
        _ => throw new CommandRejectedException(Message ?? Code),
    };
}

/// <summary>What a message asks that is a command: each kind uses some of the members.</summary>
internal sealed record RemoteCommand
{
    /// <summary>Stands for the hash of the request where the key is a node's: nobody else knows that key.</summary>
    public const string NodeHash = "node";

    /// <summary>How long a node's key is kept: no longer than those of clients, which are kept for an hour or more.</summary>
    public static readonly TimeSpan NodeKeyLifetime = TimeSpan.FromHours(1);

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

    /// <summary>With a key where its caller gave none: it is applied once, whichever way it comes and however often.</summary>
    public RemoteCommand WithKey(Guid id) =>
        IdempotencyKey is null ? this with { IdempotencyKey = id.ToString(), RequestHash = RequestHash ?? NodeHash } : this;

    /// <summary>Whether a caller waits for its reply.</summary>
    public static bool NeedsReply(string kind) => IsKind(kind) && kind != RemoteKind.Signal;

    public static RemoteCommand Parse(ReadOnlySpan<char> json) =>
        JsonSerializer.Deserialize<RemoteCommand>(json, ContractsJson.Default)
            ?? throw new JsonException("A command in an inbox is the JSON text null.");

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    public static string? TextOf(Value value) => value.IsNull ? null : value.ToString();
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
