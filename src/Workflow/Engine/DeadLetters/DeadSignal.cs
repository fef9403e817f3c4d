namespace Workflow.Engine.DeadLetters;

internal sealed record DeadSignal(
    string Name, string? CorrelationKey, Guid? InstanceId, JsonElement? Payload, DateTimeOffset AcceptedUtc,
    DateTimeOffset? DueUtc)
{
    public static DeadSignal From(AcceptedSignal signal) => new(
        signal.Name,
        signal.CorrelationKey,
        signal.InstanceId,
        signal.Payload is null ? null : Value.Parse(signal.Payload).ToJsonElement(),
        signal.AcceptedUtc,
        signal.DueUtc);

    /// <summary>
    /// The signal of a replay: due immediately, with its full time to live, and after signals that arrived meanwhile.
    /// </summary>
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
