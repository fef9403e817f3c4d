namespace Workflow.Diagrams.Graphs;

/// <summary>
/// Draws the steps that were made from one element of another document, e.g. a task of a BPMN model and the step that
/// sets its outputs, as one node. A step is folded into another step of its element if nothing else leads to it.
/// </summary>
public static class ElementFolding
{
    /// <param name="overlay">
    /// Of the steps; null for none. A node has the sum of their counts, and the state that asks for attention first.
    /// </param>
    public static (DiagramGraph Graph, DiagramOverlay? Overlay) Fold(DiagramGraph graph, DiagramOverlay? overlay)
    {
        var heads = FindHeads(graph);
        var groups = graph.Nodes.ToLookup(node => heads[node.Id], StringComparer.Ordinal);
        if (groups.Count == graph.Nodes.Count)
        {
            return (graph, overlay);
        }

        var drawn = new HashSet<string>(StringComparer.Ordinal);
        var nodes = groups.Select(group => Draw(group.Key, [.. group], drawn)).ToList();
        var places = groups.Zip(nodes).SelectMany(pair => pair.First.Select(node => (node.Id, Place: pair.Second.Id)))
            .ToDictionary(pair => pair.Id, pair => pair.Place, StringComparer.Ordinal);
        return (graph with { Nodes = nodes, Edges = Fold(graph.Edges, heads, places) },
            overlay is null ? null : Fold(overlay, places));
    }

    /// <summary>For each node the one that it is folded into; itself if it is not folded.</summary>
    private static Dictionary<string, string> FindHeads(DiagramGraph graph)
    {
        var heads = graph.Nodes.ToDictionary(node => node.Id, node => node.Id, StringComparer.Ordinal);
        var nodes = graph.Nodes.ToDictionary(node => node.Id, StringComparer.Ordinal);
        var into = graph.Edges.ToLookup(edge => edge.To, edge => edge.From, StringComparer.Ordinal);
        var open = graph.Nodes.Where(node => node is { Element: not null, Kind: not NodeKind.SubProcess }).ToList();

        // What is folded into a step may leave a step behind it with no other way in.
        while (open.RemoveAll(TryFold) > 0)
        {
        }

        return heads.Keys.ToDictionary(id => id, Head, StringComparer.Ordinal);

        bool TryFold(DiagramNode node)
        {
            var before = into[node.Id].Select(Head).Where(id => id != node.Id).Distinct().Take(2).ToArray();
            if (before is not [var head] || nodes[head].Element != node.Element || nodes[head].Parent != node.Parent)
            {
                return false;
            }

            heads[node.Id] = head;
            return true;
        }

        string Head(string id)
        {
            while (heads[id] != id)
            {
                id = heads[id];
            }

            return id;
        }
    }

    private static DiagramNode Draw(string head, List<DiagramNode> group, HashSet<string> drawn)
    {
        var first = group.Find(node => node.Id == head)!;
        var isOwn = first.Element is null || drawn.Add(first.Element) || first.Id == first.Element;
        var shown = first.Kind switch
        {
            // An end event that sets a variable before it ends everything.
            NodeKind.Set => group.Find(node => node.Kind == NodeKind.Terminate) ?? first,

            // Where branches that nothing in the model joins have ended.
            NodeKind.Join when !isOwn => group.Find(node => node.Kind == NodeKind.End) ?? first,
            _ => first,
        };
        var others = group.Where(node => node != shown).Select(node => node.Id).ToList();
        var isText = isOwn || shown.Kind is not (NodeKind.Join or NodeKind.Fork or NodeKind.End);
        return shown with
        {
            Title = isText ? shown.Title : "",
            Description = shown.Description + (others.Count == 0 ? "" : $", with {string.Join(", ", others)}"),
        };
    }

    private static List<DiagramEdge> Fold(
        IReadOnlyList<DiagramEdge> edges, Dictionary<string, string> heads, Dictionary<string, string> places)
    {
        // Whatever leads to a folded step is within its node; what leads to the head is drawn, also from within.
        var kept = edges.Where(edge => heads[edge.To] == edge.To).ToList();
        var exits = edges.CountBy(edge => edge.From).ToDictionary(StringComparer.Ordinal);
        var left = kept.CountBy(edge => edge.From).ToDictionary(StringComparer.Ordinal);
        return [.. kept.Select(edge =>
        {
            var folded = edge with { From = places[edge.From], To = places[edge.To] };
            var isOnly = left[edge.From] == 1 && exits[edge.From] > 1;
            return isOnly && edge.Kind is EdgeKind.Case or EdgeKind.Otherwise
                ? folded with { Kind = EdgeKind.Next, Label = null }
                : folded;
        })];
    }

    private static DiagramOverlay Fold(DiagramOverlay overlay, Dictionary<string, string> places) => overlay with
    {
        States = overlay.States.Where(state => places.ContainsKey(state.Key))
            .GroupBy(state => places[state.Key], state => state.Value, StringComparer.Ordinal)
            .ToDictionary(states => states.Key, states => states.MaxBy(Rank), StringComparer.Ordinal),
        Counts = overlay.Counts.Where(count => places.ContainsKey(count.Key))
            .GroupBy(count => places[count.Key], count => count.Value, StringComparer.Ordinal)
            .ToDictionary(counts => counts.Key, counts => counts.Aggregate(Sum), StringComparer.Ordinal),
    };

    internal static NodeCounts Sum(NodeCounts one, NodeCounts other) =>
        new(one.Active + other.Active, one.Waiting + other.Waiting, one.Failed + other.Failed);

    /// <summary>Of the states of several steps, the highest is shown.</summary>
    internal static int Rank(NodeState state) => state switch
    {
        NodeState.Failed => 6,
        NodeState.Active => 5,
        NodeState.Waiting => 4,
        NodeState.TimedOut => 3,
        NodeState.Cancelled => 2,
        NodeState.Done => 1,
        _ => 0,
    };
}
