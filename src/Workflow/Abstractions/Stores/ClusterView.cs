namespace Workflow.Abstractions.Stores;

/// <summary>The state of a cluster at one instant.</summary>
public sealed record ClusterView
{
    /// <summary>The number of lanes that share the partitions.</summary>
    public required int LaneCount { get; init; }

    /// <summary>All lanes, by index.</summary>
    public required IReadOnlyList<LeaseRow> Lanes { get; init; }

    /// <summary>
    /// Live nodes, and nodes that were live within the last minute: their last messages may still be in an inbox.
    /// </summary>
    public required IReadOnlyList<NodeRow> Nodes { get; init; }

    /// <summary>The number of the last definition; 0 if there is none. Nodes read definitions up to it.</summary>
    public required long LastDefinition { get; init; }

    /// <summary>
    /// The secret by which the nodes of this cluster authenticate one another; null before one is published. Never
    /// printed.
    /// </summary>
    public string? Secret { get; init; }
}
