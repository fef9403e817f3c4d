namespace Workflow.Diagrams.Layout;

/// <summary>What has a place in a layer: a node, the label of an edge, or a point that a long edge passes.</summary>
internal sealed class Vertex(int id, int layer)
{
    public int Id => id;
    public int Layer => layer;
    public DiagramNode? Node { get; init; }
    public Figure? Figure { get; init; }
    public TextBlock? Label { get; init; }

    /// <summary>
    /// How far it reaches to both sides of <see cref="X"/>, where edges pass or a shape has its middle.
    /// </summary>
    public double Left { get; set; }

    public double Right { get; init; }
    public double Height { get; init; }
    public double X { get; set; }

    /// <summary>Its position in the layer, from the left.</summary>
    public int Order { get; set; }

    public List<Segment> Up { get; } = [];
    public List<Segment> Down { get; } = [];
    public List<Loop> Loops { get; } = [];
}
