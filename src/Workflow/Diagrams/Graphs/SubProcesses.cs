namespace Workflow.Diagrams.Graphs;

/// <summary>Which sub-processes are around which steps.</summary>
internal sealed class SubProcesses(DiagramGraph graph)
{
    private readonly Dictionary<string, string?> _parents =
        graph.Nodes.ToDictionary(node => node.Id, node => node.Parent, StringComparer.Ordinal);

    private readonly HashSet<string> _all =
        [.. graph.Nodes.Where(node => node.Kind == NodeKind.SubProcess).Select(node => node.Id)];

    private readonly HashSet<string> _terminated =
        [.. graph.Nodes.Where(node => node.Kind == NodeKind.Terminate).Select(node => node.Parent ?? "")];

    public bool Contains(string node) => _all.Contains(node);

    /// <summary>From the innermost outwards; none of a node that there is not.</summary>
    public IEnumerable<string> Around(string node)
    {
        for (var parent = _parents.GetValueOrDefault(
            node); parent is not null; parent = _parents.GetValueOrDefault(parent))
        {
            yield return parent;
        }
    }

    /// <summary>Whether a step directly inside of it, or outside of all ("") ends the others.</summary>
    public bool HasTerminate(string subProcess) => _terminated.Contains(subProcess);
}
