namespace Workflow.Diagrams.Layout;

/// <summary>
/// Places sub-processes from the innermost outwards, each as a picture of its own, and puts the pictures into their
/// frames.
/// </summary>
internal static class Nesting
{
    /// <param name="place">Places the nodes of one level, given what is inside of them.</param>
    public static PlacedDiagram Place(
        DiagramGraph graph, Func<DiagramGraph, IReadOnlyDictionary<string, PlacedDiagram>, PlacedDiagram> place)
    {
        var contents = new Dictionary<string, PlacedDiagram>(StringComparer.Ordinal);
        var frames = graph.Nodes.Where(node => node.Kind == NodeKind.SubProcess).Select(node => node.Id).ToList();
        if (frames.Count == 0)
        {
            return place(graph, contents);
        }

        var (nodes, edges) = graph.Levels();

        // In the order of a walk a sub-process comes before what is inside of it.
        foreach (var level in Enumerable.Reverse(frames).Append(""))
        {
            contents[level] = place(graph with { Nodes = [.. nodes[level]], Edges = [.. edges[level]] }, contents);
        }

        return Put(graph, contents, frames);
    }

    private static PlacedDiagram Put(
        DiagramGraph graph, Dictionary<string, PlacedDiagram> contents, List<string> frames)
    {
        var placed = new Dictionary<string, PlacedNode>(StringComparer.Ordinal);
        var routed = new Dictionary<string, PlacedEdge>(StringComparer.Ordinal);
        foreach (var level in frames.Prepend(""))
        {
            var content = contents[level];
            var at = level.Length == 0 ? default : TopLeft(placed[level], content);
            foreach (var node in content.Nodes)
            {
                placed.Add(node.Node.Id, node with { Shape = Moved(node.Shape, at), Text = Moved(node.Text, at) });
            }

            foreach (var edge in content.Edges)
            {
                routed.Add(edge.Edge.Id, edge with
                {
                    Points = [.. edge.Points.Select(point => new Place(point.X + at.X, point.Y + at.Y))],
                    LabelBox = Moved(edge.LabelBox, at),
                });
            }
        }

        return new PlacedDiagram(
            graph, [.. graph.Nodes.Select(node => placed[node.Id])], [.. graph.Edges.Select(edge => routed[edge.Id])],
            contents[""].Width, contents[""].Height);
    }

    private static Place TopLeft(PlacedNode frame, PlacedDiagram content) =>
        new(frame.Shape.X + Math.Floor((frame.Shape.Width - content.Width) / 2),
            frame.Shape.Y + frame.Figure.ContentTop);

    private static Box Moved(Box box, Place by) => box with { X = box.X + by.X, Y = box.Y + by.Y };
}
