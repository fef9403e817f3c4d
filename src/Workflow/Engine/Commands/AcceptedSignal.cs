using System.Text.Json.Serialization;

namespace Workflow.Engine.Commands;

/// <summary>
/// A signal that is accepted and not yet consumed. Messages between partitions use these member names; its pending row
/// uses shorter ones: <c>n</c> name, <c>y</c> correlation key, <c>i</c> instance, <c>p</c> payload, <c>a</c> accepted,
/// <c>d</c> due, <c>x</c> expires, <c>t</c> trace context.
/// </summary>
internal sealed record AcceptedSignal : IPending
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required string Name { get; init; }

    /// <summary>The correlation key; null if the signal was sent to an instance.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>The instance that the signal was sent to; null if it was sent by key.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>The payload as JSON; null if there is none.</summary>
    public string? Payload { get; init; }

    /// <summary>The order of acceptance within the lane.</summary>
    public required long Position { get; init; }

    public required DateTimeOffset AcceptedUtc { get; init; }

    /// <summary>When the signal is to be delivered (UTC); null for immediate delivery.</summary>
    public DateTimeOffset? DueUtc { get; init; }

    public required DateTimeOffset ExpiresUtc { get; init; }

    /// <summary>The trace context of the sender, as a W3C <c>traceparent</c>; null if it is not recorded.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? TraceParent { get; init; }

    public Value ReadPayload() => Payload is null ? Value.Null : Value.Parse(Payload);

    public PendingRow ToRow(JsonBuffer json) =>
        new(Id, Partition, PendingKind.Signal, Position, json.WriteText(this, Write));

    public static AcceptedSignal Of(PendingRow row)
    {
        using var document = JsonDocument.Parse(row.Body);
        var body = document.RootElement;
        return new()
        {
            Id = row.Id,
            Partition = row.Partition,
            Name = body.GetProperty("n"u8).GetString()!,
            CorrelationKey = body.TryGetProperty("y"u8, out var key) ? key.GetString() : null,
            InstanceId = body.TryGetProperty("i"u8, out var instance) ? instance.GetGuid() : null,
            Payload = body.TryGetProperty("p"u8, out var payload) ? payload.GetRawText() : null,
            Position = row.Position,
            AcceptedUtc = TimeOf(body.GetProperty("a"u8)),
            DueUtc = body.TryGetProperty("d"u8, out var due) ? TimeOf(due) : null,
            ExpiresUtc = TimeOf(body.GetProperty("x"u8)),
            TraceParent = body.TryGetProperty("t"u8, out var trace) ? trace.GetString() : null,
        };
    }

    private static void Write(Utf8JsonWriter writer, AcceptedSignal signal)
    {
        writer.WriteStartObject();
        writer.WriteString("n"u8, signal.Name);
        if (signal.CorrelationKey is not null)
        {
            writer.WriteString("y"u8, signal.CorrelationKey);
        }

        if (signal.InstanceId is { } instance)
        {
            writer.WriteString("i"u8, instance);
        }

        if (signal.Payload is not null)
        {
            writer.WritePropertyName("p"u8);
            writer.WriteRawValue(signal.Payload, skipInputValidation: true);
        }

        writer.WriteString("a"u8, signal.AcceptedUtc);
        if (signal.DueUtc is { } due)
        {
            writer.WriteString("d"u8, due);
        }

        writer.WriteString("x"u8, signal.ExpiresUtc);
        if (signal.TraceParent is not null)
        {
            writer.WriteString("t"u8, signal.TraceParent);
        }

        writer.WriteEndObject();
    }

    private static DateTimeOffset TimeOf(JsonElement instant) => instant.GetDateTimeOffset().ToUniversalTime();
}
