namespace Workflow.Diagrams.Graphs;

/// <summary>The state of one instance, or the counts of many, over the picture of their definition.</summary>
public sealed record DiagramOverlay
{
    /// <summary>What the overlay shows, e.g. the instance and its state.</summary>
    public required string Caption { get; init; }

    public IReadOnlyDictionary<string, NodeState> States { get; init; } = new Dictionary<string, NodeState>();

    /// <summary>Edges that were taken for certain, by their ids.</summary>
    public IReadOnlySet<string> Taken { get; init; } = new HashSet<string>();

    public IReadOnlyDictionary<string, NodeCounts> Counts { get; init; } = new Dictionary<string, NodeCounts>();

    public NodeState StateOf(string node) => States.GetValueOrDefault(node);
    public NodeCounts CountsOf(string node) => Counts.GetValueOrDefault(node);
}
