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
