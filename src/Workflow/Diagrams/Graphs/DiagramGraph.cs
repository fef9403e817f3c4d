namespace Workflow.Diagrams.Graphs;

/// <summary>
/// What is drawn of a definition: one node per step, one for the start and for the start of each sub-process, and one
/// per event of which a step waits for the first; in the order of a walk from the start. The ends of an edge are in the
/// same sub-process.
/// </summary>
public sealed record DiagramGraph(
    string Name, int Version, IReadOnlyList<DiagramNode> Nodes, IReadOnlyList<DiagramEdge> Edges)
{
    /// <summary>
    /// The nodes and edges by the sub-process they are directly inside of, the outermost under "". An id that is no
    /// sub-process has none.
    /// </summary>
    public (ILookup<string, DiagramNode> Nodes, ILookup<string, DiagramEdge> Edges) Levels()
    {
        var parents = Nodes.ToDictionary(node => node.Id, node => node.Parent ?? "", StringComparer.Ordinal);
        return (Nodes.ToLookup(node => parents[node.Id], StringComparer.Ordinal),
            Edges.ToLookup(edge => parents[edge.From], StringComparer.Ordinal));
    }
}
