namespace Workflow.Abstractions.Stores;

/// <summary>How things stood at one instant.</summary>
public sealed record ClusterView
{
    /// <summary>How many lanes the partitions are divided among.</summary>
    public required int LaneCount { get; init; }

    /// <summary>Every lane there is, by number.</summary>
    public required IReadOnlyList<LeaseRow> Lanes { get; init; }

    /// <summary>Live nodes, and for a minute those that were: what they put into an inbox last may still lie there.</summary>
    public required IReadOnlyList<NodeRow> Nodes { get; init; }

    /// <summary>How many definitions are registered; a node that knows fewer reads them again.</summary>
    public required int Definitions { get; init; }
}
