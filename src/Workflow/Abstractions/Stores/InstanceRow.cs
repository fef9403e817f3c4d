using System.Text.Json.Serialization;
using Workflow.Contracts.Instances;

namespace Workflow.Abstractions.Stores;

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

    /// <summary>Variables, waits, forks, output and error as JSON. Only the engine reads and writes it.</summary>
    public required string Body { get; init; }

    /// <summary>History entries to append, as lines of JSON that end with a line feed; empty when read.</summary>
    public string History { get; init; } = "";

    /// <summary>
    /// The part of <see cref="History"/> that a relational store keeps in the row of the instance: the entries of the
    /// first eight commits. Every commit writes the row again, so a longer history would be expensive there.
    /// </summary>
    [JsonIgnore]
    public string HistoryInRow => Revision > 8 ? "" : History;

    /// <summary>Whether the history of this commit is a separate row, by instance and revision.</summary>
    [JsonIgnore]
    public bool HasHistoryApart => HistoryInRow.Length < History.Length;

    /// <summary>Whether the instance has ended: no lane loads it, unless it has failed and is retried.</summary>
    [JsonIgnore]
    public bool IsOver => State > InstanceState.Suspended;

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }
}
