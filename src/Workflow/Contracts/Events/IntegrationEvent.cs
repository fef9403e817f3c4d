namespace Workflow.Contracts.Events;

/// <summary>Something that happened in the engine, told to the outside after the commit that holds it, at least once and in order per stream.</summary>
public abstract record IntegrationEvent
{
    /// <summary>Unique id <c>stream-sequence</c>; a repeated delivery carries the same id.</summary>
    public required string Id { get; init; }

    /// <summary>The event type: the record's name, or the name that a <c>raise</c> step gave.</summary>
    public abstract string Type { get; }

    /// <summary>The instance concerned; null for a signal that went to a receiver.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>The instance that called it as a sub-workflow; null for one that was started from outside.</summary>
    public Guid? ParentId { get; init; }

    /// <summary>Name of the instance's definition.</summary>
    public string? Definition { get; init; }

    /// <summary>Version of the instance's definition.</summary>
    public int? DefinitionVersion { get; init; }

    /// <summary>The correlation key the instance was started with, or the key of the signal.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>The service's own times.</summary>
    public required EventTimestamps Timestamps { get; init; }
}
