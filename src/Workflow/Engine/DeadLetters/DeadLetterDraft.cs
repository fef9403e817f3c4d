using System.Text.Json.Serialization;
using Workflow.Contracts;

namespace Workflow.Engine.DeadLetters;

/// <summary>What a dead-lettered command leaves behind.</summary>
/// <param name="SubjectId">Signal, wait or message.</param>
/// <param name="Payload">The work, written as JSON.</param>
/// <param name="DueUtc">Of a timer: which of the wait's timers it is.</param>
internal sealed record DeadLetterDraft(
    DeadLetterKind Kind, short Partition, Guid SubjectId, Guid? InstanceId, object Payload, DateTimeOffset? DueUtc = null)
{
    public string PayloadJson => JsonSerializer.Serialize(Payload, ContractsJson.Default);

    public static T Read<T>(string payload) =>
        JsonSerializer.Deserialize<T>(payload, ContractsJson.Default)
            ?? throw new JsonException("The payload of a dead letter is the JSON text null.");
}

internal sealed record DeadSignal(
    string Name, string? CorrelationKey, Guid? InstanceId, JsonElement? Payload, DateTimeOffset AcceptedUtc, DateTimeOffset? DueUtc)
{
    public static DeadSignal From(AcceptedSignal signal) => new(
        signal.Name,
        signal.CorrelationKey,
        signal.InstanceId,
        signal.Payload is null ? null : Value.Parse(signal.Payload).ToJsonElement(),
        signal.AcceptedUtc,
        signal.DueUtc);

    /// <summary>The signal as it comes back: due at once, with its whole time to live, behind what came meanwhile.</summary>
    public AcceptedSignal ToSignal(Guid id, short partition, long position, DateTimeOffset expires) => new()
    {
        Id = id,
        Partition = partition,
        Name = Name,
        CorrelationKey = CorrelationKey,
        InstanceId = InstanceId,
        Payload = Payload is { } payload ? Value.From(payload).ToString() : null,
        Position = position,
        AcceptedUtc = AcceptedUtc,
        ExpiresUtc = expires,
    };
}

internal sealed record DeadTimer(Guid InstanceId, Guid WaitId, string Step, DateTimeOffset DueUtc);

/// <summary>The payload of a dead activity result: what the activity returned, or why it failed.</summary>
internal sealed record DeadActivity(
    Guid InstanceId, Guid WaitId, string Step, string Activity, JsonElement? Result, string? Failure, bool IsFinal,
    string? Code = null);

internal sealed record DeadMessage(string Kind, JsonElement Body)
{
    /// <summary>Whether the message holds a signal.</summary>
    [JsonIgnore]
    public bool HasSignal => Kind is PartitionMessage.Deliver or PartitionMessage.Return;

    /// <summary>The wait that the message subscribes; null for any other kind.</summary>
    [JsonIgnore]
    public Guid? SubscribingWait => Kind == PartitionMessage.Subscribe ? Body.GetProperty(nameof(PartitionMessage.WaitId)).GetGuid() : null;

    /// <summary>It is copied unread: a position has more digits than a number of an expression.</summary>
    public static DeadMessage From(Message message)
    {
        using var body = JsonDocument.Parse(message.Json);
        return new(message.Kind, body.RootElement.Clone());
    }
}
