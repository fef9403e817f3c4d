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

    /// <summary>Variables, waits, forks, output and error as JSON, written and read by the engine alone.</summary>
    public required string Body { get; init; }

    /// <summary>History lines to append (JSON, one a line, each ended by a line feed); empty when read.</summary>
    public string History { get; init; } = "";

    /// <summary>
    /// What of <see cref="History"/> a store with tables keeps in the instance's own row: that of its first eight
    /// commits. What grew there would be written again by every commit.
    /// </summary>
    [JsonIgnore]
    public string HistoryInRow => Revision > 8 ? "" : History;

    /// <summary>The history of this commit is a row of its own, by instance and revision.</summary>
    [JsonIgnore]
    public bool HasHistoryApart => HistoryInRow.Length < History.Length;

    /// <summary>Whether it has ended: it is no lane's any more, unless it has failed and is retried.</summary>
    [JsonIgnore]
    public bool IsOver => State > InstanceState.Suspended;

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }
}
