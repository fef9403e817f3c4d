namespace Workflow.Diagrams.Graphs;

/// <summary>
/// What is drawn of a definition: one node per step, one for the start and for the start of each sub-process, and one per event of which a
/// step waits for the first; in the order of a walk from the start. The ends of an edge are in the same sub-process.
/// </summary>
public sealed record DiagramGraph(string Name, int Version, IReadOnlyList<DiagramNode> Nodes, IReadOnlyList<DiagramEdge> Edges)
{
    /// <summary>
    /// The nodes and edges by the sub-process they are directly inside of, the outermost under "". An id that is no sub-process has none.
    /// </summary>
    public (ILookup<string, DiagramNode> Nodes, ILookup<string, DiagramEdge> Edges) Levels()
    {
        var parents = Nodes.ToDictionary(node => node.Id, node => node.Parent ?? "", StringComparer.Ordinal);
        return (Nodes.ToLookup(node => parents[node.Id], StringComparer.Ordinal),
            Edges.ToLookup(edge => parents[edge.From], StringComparer.Ordinal));
    }
}

/// <param name="Id">The step's id; with a colon for what is no step: <see cref="StartId"/>, and e.g. <c>route:events[0]</c>.</param>
/// <param name="Title">What stands in or beside the shape, at first.</param>
/// <param name="Subtitle">What the step does, in a few words; null when the kind says it.</param>
/// <param name="Description">The whole of it, for a reader who hears the picture or points at the node.</param>
public sealed record DiagramNode(string Id, NodeKind Kind, string Title, string? Subtitle, string Description)
{
    /// <summary>No step has this id: a colon is in no name.</summary>
    public const string StartId = ":start";

    /// <summary>The sub-process that it is directly inside of; null outside of all.</summary>
    public string? Parent { get; init; }

    /// <summary>The id of the node at which a sub-process begins.</summary>
    public static string StartOf(string subProcess) => subProcess + StartId;

    public bool IsStep => !Id.Contains(':', StringComparison.Ordinal);
}

/// <param name="Id">The step and the member that leads on, e.g. <c>route:cases[0]</c>.</param>
/// <param name="Label">What the edge is taken on; null for the plain next step.</param>
public sealed record DiagramEdge(string Id, string From, string To, EdgeKind Kind, string? Label);

public enum NodeKind
{
    Start,
    Set,
    Decide,
    Fork,
    Join,
    WaitSignal,
    Delay,
    Task,
    Invoke,
    Call,
    Raise,
    End,
    Terminate,
    Fail,
    Inclusive,
    WaitFirst,

    /// <summary>A signal that a step waits for the first of; no step itself. A time is drawn as a delay.</summary>
    Signal,

    /// <summary>Calls for several elements.</summary>
    CallEach,

    /// <summary>A box around the steps inside.</summary>
    SubProcess,

    /// <summary>A step of a type that this assembly does not know: drawn as a plain box.</summary>
    Other,
}

public enum EdgeKind
{
    Next,
    Case,
    Otherwise,
    Branch,
    Timeout,
    Error,

    /// <summary>To one of the events that a step waits for the first of.</summary>
    Event,

    /// <summary>Events at a boundary that end the step, or do not.</summary>
    BoundaryTimer,
    BoundarySignal,
    SideTimer,
    SideSignal,
}

public static class EdgeKinds
{
    /// <summary>Whether it leaves its node by an event at the boundary.</summary>
    public static bool IsBoundary(this EdgeKind kind) => kind is EdgeKind.Timeout or EdgeKind.Error or >= EdgeKind.BoundaryTimer;

    /// <summary>Whether the step goes on while it is taken.</summary>
    public static bool IsSide(this EdgeKind kind) => kind is EdgeKind.SideTimer or EdgeKind.SideSignal;

    /// <summary>Whether a time is what it is taken on, at a boundary.</summary>
    public static bool IsTimer(this EdgeKind kind) => kind is EdgeKind.Timeout or EdgeKind.BoundaryTimer or EdgeKind.SideTimer;

    public static bool IsSignal(this EdgeKind kind) => kind is EdgeKind.BoundarySignal or EdgeKind.SideSignal;
}

/// <summary>What an instance has done with a step.</summary>
public enum NodeState
{
    None,
    Done,

    /// <summary>Its activity runs now, or, of a sub-process, the instance is inside.</summary>
    Active,

    /// <summary>It waits for a signal, a time, a person, a sub-workflow or the next attempt.</summary>
    Waiting,
    Failed,
}

/// <summary>How many instances stand at a step.</summary>
public readonly record struct NodeCounts(int Active, int Waiting, int Failed)
{
    public int Total => Active + Waiting + Failed;

    /// <summary>The state that asks for attention first.</summary>
    public NodeState Worst =>
        Failed > 0 ? NodeState.Failed : Active > 0 ? NodeState.Active : Waiting > 0 ? NodeState.Waiting : NodeState.None;
}

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
