namespace Workflow.Diagrams.Layout;

/// <summary>A graph with places.</summary>
public sealed record PlacedDiagram(
    DiagramGraph Graph, IReadOnlyList<PlacedNode> Nodes, IReadOnlyList<PlacedEdge> Edges, double Width, double Height);
