namespace Workflow.Diagrams.Graphs;

/// <summary>Immediate dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001).</summary>
internal static class Dominators
{
    /// <summary>For each node the last one that every way from the start to it passes; null for the start.</summary>
    public static IReadOnlyDictionary<string, string?> Of(DiagramGraph graph)
    {
        var order = PostOrder(graph);
        var number = order.Select((id, index) => (id, index))
            .ToDictionary(pair => pair.id, pair => pair.index, StringComparer.Ordinal);
        var above = Enumerable.Repeat(-1, order.Count).ToArray();
        above[^1] = order.Count - 1;
        var into = Ways(graph).ToLookup(way => number[way.To], way => number[way.From]);
        bool changed;
        do
        {
            changed = false;
            for (var node = order.Count - 2; node >= 0; node--)
            {
                var found = into[node].Where(from => above[from] >= 0)
                    .Aggregate(-1, (one, other) => one < 0 ? other : Meet(above, one, other));
                changed |= above[node] != found;
                above[node] = found;
            }
        }
        while (changed);

        return order.Select((id, index) =>
            (id, above: index == order.Count - 1 || above[index] < 0 ? null : order[above[index]]))
            .ToDictionary(pair => pair.id, pair => pair.above, StringComparer.Ordinal);
    }

    // Into a sub-process no edge is drawn.
    private static IEnumerable<(string From, string To)> Ways(DiagramGraph graph) =>
        graph.Edges.Select(edge => (edge.From, edge.To))
        .Concat(graph.Nodes.Where(node => node.Kind == NodeKind.SubProcess)
            .Select(node => (node.Id, DiagramNode.StartOf(node.Id))));

    private static int Meet(int[] above, int one, int other)
    {
        while (one != other)
        {
            while (one < other)
            {
                one = above[one];
            }

            while (other < one)
            {
                other = above[other];
            }
        }

        return one;
    }

    private static List<string> PostOrder(DiagramGraph graph)
    {
        var onward = Ways(graph).ToLookup(way => way.From, way => way.To, StringComparer.Ordinal);
        var seen = new HashSet<string>(StringComparer.Ordinal);
        List<string> order = [];

        // The start last, so that what it does not reach has numbers of its own too.
        foreach (var root in graph.Nodes.Skip(1).Append(graph.Nodes[0]).Select(node => node.Id).Reverse())
        {
            if (seen.Add(root))
            {
                Visit(root);
            }
        }

        return [.. order.Where(id => id != graph.Nodes[0].Id), graph.Nodes[0].Id];

        void Visit(string root)
        {
            var path = new Stack<(string Id, IEnumerator<string> Next)>([(root, onward[root].GetEnumerator())]);
            while (path.TryPeek(out var top))
            {
                if (!top.Next.MoveNext())
                {
                    order.Add(path.Pop().Id);
                }
                else if (seen.Add(top.Next.Current))
                {
                    path.Push((top.Next.Current, onward[top.Next.Current].GetEnumerator()));
                }
            }
        }
    }
}
