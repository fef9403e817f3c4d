using Workflow.Contracts.Instances;

namespace Workflow.Abstractions.Stores;

/// <summary>An instance as stored.</summary>
public sealed record InstanceRow
{
    /// <summary>Id (UUID version 7 whose last byte is the partition).</summary>
    public required Guid Id { get; init; }

    /// <summary>Partition.</summary>
    public required short Partition { get; init; }

    /// <summary>Definition name.</summary>
    public required string Definition { get; init; }

    /// <summary>Definition version.</summary>
    public required int DefinitionVersion { get; init; }

    /// <summary>Counts the commits that changed the instance, from 1.</summary>
    public required long Revision { get; init; }

    /// <summary>State.</summary>
    public required InstanceState State { get; init; }

    /// <summary>The key it was started with.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>Variables, waits, forks, output and error as JSON, written and read by the engine alone.</summary>
    public required string Body { get; init; }

    /// <summary>History lines to append (JSON, one a line, each ended by a line feed); empty when read.</summary>
    public string History { get; init; } = "";

    /// <summary>When it was started (UTC).</summary>
    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>When it last changed (UTC).</summary>
    public required DateTimeOffset UpdatedUtc { get; init; }
}
