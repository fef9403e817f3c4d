using Workflow.Contracts.Instances;

namespace Workflow.Abstractions.Stores;

/// <summary>An instance as stored.</summary>
public sealed record InstanceRow
{
    /// <summary>Id (UUID version 7 whose last byte is the partition).</summary>
    public required Guid Id { get; init; }

    public required short Partition { get; init; }
    public required string Definition { get; init; }
    public required int DefinitionVersion { get; init; }

    /// <summary>Counts the commits that changed the instance, from 1.</summary>
    public required long Revision { get; init; }

    public required InstanceState State { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>Variables, waits, forks, output and error as JSON, written and read by the engine alone.</summary>
    public required string Body { get; init; }

    /// <summary>History lines to append (JSON, one a line, each ended by a line feed); empty when read.</summary>
    public string History { get; init; } = "";

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }
}

/// <summary>An instance has called another as a sub-workflow. Both are of the same partition.</summary>
public sealed record ChildRow(Guid ParentId, Guid ChildId);

/// <summary>A registered definition.</summary>
/// <param name="ContentHash">SHA-256 of the canonical JSON.</param>
public sealed record DefinitionRow(string Name, int Version, string ContentHash, string Body, DateTimeOffset RegisteredUtc);
