namespace Workflow.Diagrams.Layout;

/// <summary>The way of an edge through the layers, from above.</summary>
internal sealed record Route(
    DiagramEdge Edge, bool Back, IReadOnlyList<Segment> Segments, Vertex? LabelVertex, Loop? Loop);
