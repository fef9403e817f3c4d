namespace Workflow.Abstractions;

/// <summary>What a node knows of itself among others, since its start.</summary>
public sealed record ClusterStatistics
{
    public required string NodeName { get; init; }

    /// <summary>Ascending. Statistics that were read back from metrics know only their number.</summary>
    public required IReadOnlyList<int> OwnedLanes
    {
        get;
        init
        {
            field = value;
            OwnedLaneCount = value.Count;
        }
    }

    public int OwnedLaneCount { get; init; }

    /// <summary>Lanes that run here, or on a node that has renewed their leases since this one joined.</summary>
    public int ServedLanes { get; init; }

    /// <summary>Live nodes at the last renewal, itself included.</summary>
    public required int LiveNodes { get; init; }

    public required long Forwarded { get; init; }

    /// <summary>Commands that the node which owns their lane has answered itself.</summary>
    public long AnsweredByOwner { get; init; }

    public required long InboxTaken { get; init; }
    public required long LanesLost { get; init; }
}
