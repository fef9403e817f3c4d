using System.Text.Json;
using Workflow.Abstractions;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Execution;

namespace Workflow.Engine.DeadLetters;

/// <summary>The payload of a dead signal.</summary>
internal sealed record SignalLetter(string Name, string? CorrelationKey, Guid? InstanceId, JsonElement? Payload, DateTimeOffset AcceptedUtc, DateTimeOffset? DueUtc)
{
    public static SignalLetter From(SignalRow signal) => new(
        signal.Name,
        signal.CorrelationKey,
        signal.InstanceId,
        signal.Payload is null ? null : LaneExecutor.PayloadOf(signal).ToJsonElement(),
        signal.AcceptedUtc,
        signal.DueUtc);

    /// <summary>The signal as it comes back: due at once, with its whole time to live, behind what came meanwhile.</summary>
    public SignalRow ToRow(Guid id, short partition, long position, DateTimeOffset expires) => new()
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
