namespace Workflow.Diagrams.Layout;

/// <param name="Shape">The box around the shape.</param>
/// <param name="Text">The box around its text, in the shape or beside it.</param>
public sealed record PlacedNode(DiagramNode Node, Figure Figure, Box Shape, Box Text);
