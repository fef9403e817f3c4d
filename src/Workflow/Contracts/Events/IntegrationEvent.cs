using System.Text.Json.Serialization;

namespace Workflow.Contracts.Events;

/// <summary>
/// An event of the engine, published after its commit, at least once, in order within each stream.
/// </summary>
public abstract record IntegrationEvent
{
    /// <summary>Unique id <c>stream-sequence</c>; a repeated delivery carries the same id.</summary>
    public required string Id { get; init; }

    /// <summary>The event type: the name of the record, or the name in a <c>raise</c> step.</summary>
    public abstract string Type { get; }

    /// <summary>The instance that the event is about; null for a definition or a signal to a receiver.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>The instance that called this one as a sub-workflow; null if a request or signal started it.</summary>
    public Guid? ParentId { get; init; }

    public string? Definition { get; init; }
    public int? DefinitionVersion { get; init; }

    /// <summary>The correlation key of the instance or of the signal.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>
    /// The trace of the instance, or of the cause of the event, as a W3C <c>traceparent</c>, for consumers to continue.
    /// Absent if no trace was recorded.
    /// </summary>
    [JsonPropertyName("traceparent")]
    public string? TraceParent { get; init; }

    /// <summary>The times at which the service processed the event.</summary>
    public required EventTimestamps Timestamps { get; init; }
}
