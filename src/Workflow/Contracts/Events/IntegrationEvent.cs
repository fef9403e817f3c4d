using System.Text.Json.Serialization;

namespace Workflow.Contracts.Events;

/// <summary>
/// Something that happened in the engine, published after the commit that holds it, at least once, in order per stream.
/// </summary>
public abstract record IntegrationEvent
{
    /// <summary>Unique id <c>stream-sequence</c>; a repeated delivery carries the same id.</summary>
    public required string Id { get; init; }

    /// <summary>The event type: the record's name, or the name that a <c>raise</c> step gave.</summary>
    public abstract string Type { get; }

    /// <summary>The instance concerned; null for a signal that went to a receiver and for a definition.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>The instance that called it as a sub-workflow; null for one that was started from outside.</summary>
    public Guid? ParentId { get; init; }

    public string? Definition { get; init; }
    public int? DefinitionVersion { get; init; }

    /// <summary>The correlation key the instance was started with, or the key of the signal.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>
    /// The trace of the instance, or of what caused the event, as a W3C <c>traceparent</c>: a consumer goes on with it.
    /// Left out if no trace was recorded.
    /// </summary>
    [JsonPropertyName("traceparent")]
    public string? TraceParent { get; init; }

    /// <summary>The service's own times.</summary>
    public required EventTimestamps Timestamps { get; init; }
}

/// <summary>
/// The service's own times of what led to an event. A consumer on the same machine (equal <see cref="BootId"/>) may
/// subtract its own monotonic ticks; on another machine only the UTC instants mean something, within the clocks' error.
/// </summary>
public sealed record EventTimestamps
{
    /// <summary>When the command that caused the event was accepted (UTC).</summary>
    public required DateTimeOffset AcceptedUtc { get; init; }

    /// <summary>When the command was executed in memory (UTC).</summary>
    public required DateTimeOffset ExecutedUtc { get; init; }

    /// <summary>When the commit that holds the event had returned (UTC); null after a recovery.</summary>
    public DateTimeOffset? CommittedUtc { get; init; }

    /// <summary>When the event was handed to its transport (UTC); null after a recovery.</summary>
    public DateTimeOffset? PublishedUtc { get; init; }

    public required long AcceptedTicks { get; init; }
    public required long ExecutedTicks { get; init; }

    /// <summary>
    /// How long the command had been executing by then, in monotonic ticks: it was taken from the queue at
    /// <see cref="ExecutedTicks"/> less this. Null from a service that does not report it.
    /// </summary>
    public long? ExecutionTicks { get; init; }

    public long? CommittedTicks { get; init; }
    public long? PublishedTicks { get; init; }
    public required long TicksPerSecond { get; init; }

    /// <summary>Identifies the boot of the machine whose monotonic clock was read.</summary>
    public required string BootId { get; init; }
}

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(InstanceCompleted))]
[JsonSerializable(typeof(InstanceFailed))]
[JsonSerializable(typeof(InstanceCancelled))]
[JsonSerializable(typeof(InstanceSuspended))]
[JsonSerializable(typeof(InstanceResumed))]
[JsonSerializable(typeof(InstanceRetried))]
[JsonSerializable(typeof(TaskCreated))]
[JsonSerializable(typeof(TaskCompleted))]
[JsonSerializable(typeof(SignalReceived))]
[JsonSerializable(typeof(SignalExpired))]
[JsonSerializable(typeof(DefinitionRegistered))]
[JsonSerializable(typeof(EventRaised))]
internal sealed partial class EventWriters : JsonSerializerContext;

/// <summary>Events that were asked for and had been trimmed.</summary>
/// <param name="Missed">How many, 1 or more.</param>
public sealed record EventGap(long Missed);
