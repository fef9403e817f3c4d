namespace Workflow.Diagrams.Layout;

/// <summary>A point in px, from the left and from the top.</summary>
public readonly record struct Place(double X, double Y);

/// <summary>An upright rectangle in px.</summary>
public readonly record struct Box(double X, double Y, double Width, double Height)
{
    public double Right => X + Width;
    public double Bottom => Y + Height;
    public Place Middle => new(X + (Width / 2), Y + (Height / 2));
    public bool Overlaps(Box other) => X < other.Right && other.X < Right && Y < other.Bottom && other.Y < Bottom;
}

/// <summary>A graph with places.</summary>
public sealed record PlacedDiagram(
    DiagramGraph Graph, IReadOnlyList<PlacedNode> Nodes, IReadOnlyList<PlacedEdge> Edges, double Width, double Height);

/// <param name="Shape">The box around the shape.</param>
/// <param name="Text">The box around its text, in the shape or beside it.</param>
public sealed record PlacedNode(DiagramNode Node, Figure Figure, Box Shape, Box Text);

/// <param name="Points">From the border of the source to the border of the target; all lines are upright or level.</param>
/// <param name="Label">The text of the edge; null where it has none.</param>
/// <param name="LabelBox">The box around the text.</param>
public sealed record PlacedEdge(DiagramEdge Edge, IReadOnlyList<Place> Points, TextBlock? Label, Box LabelBox)
{
    /// <summary>It leaves by a circle on the border of its source, whose lowest (or, upwards, highest) point is where it begins.</summary>
    public bool LeavesByBoundary => Edge.Kind.IsBoundary();

    /// <summary>The middle of that circle.</summary>
    public Place Boundary => new(Points[0].X, Points[0].Y - (Math.Sign(Points[1].Y - Points[0].Y) * FigureSizes.BoundaryRadius));
}
