namespace Workflow.Abstractions;

/// <summary>What a node knows of itself among others, since its start.</summary>
public sealed record ClusterStatistics
{
    /// <summary>Its name.</summary>
    public required string NodeName { get; init; }

    /// <summary>Gauge: lanes that it owns, ascending.</summary>
    public required IReadOnlyList<int> OwnedLanes { get; init; }

    /// <summary>Gauge: live nodes at the last renewal, itself included.</summary>
    public required int LiveNodes { get; init; }

    /// <summary>Commands that came here and were put into the inbox of another node's lane.</summary>
    public required long Forwarded { get; init; }

    /// <summary>Messages taken from the inboxes of its own lanes.</summary>
    public required long InboxTaken { get; init; }

    /// <summary>Lanes lost to another node: their lease had run out.</summary>
    public required long LanesLost { get; init; }
}
