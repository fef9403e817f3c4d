namespace Workflow.Diagrams.Layout;

/// <param name="Points">
/// From the border of the source to the border of the target; all lines are upright or level.
/// </param>
/// <param name="Label">The text of the edge; null where it has none.</param>
/// <param name="LabelBox">The box around the text.</param>
public sealed record PlacedEdge(DiagramEdge Edge, IReadOnlyList<Place> Points, TextBlock? Label, Box LabelBox)
{
    /// <summary>
    /// It leaves by a circle on the border of its source, whose lowest (or, upwards, highest) point is where it begins.
    /// </summary>
    public bool LeavesByBoundary => Edge.Kind.IsBoundary();

    /// <summary>The middle of that circle.</summary>
    public Place Boundary =>
        new(Points[0].X, Points[0].Y - (Math.Sign(Points[1].Y - Points[0].Y) * FigureSizes.BoundaryRadius));
}
