namespace Workflow.Diagrams.Layout;

/// <param name="Shape">The box around the shape.</param>
/// <param name="Text">The box around its text, in the shape or beside it.</param>
public sealed record PlacedNode(DiagramNode Node, Figure Figure, Box Shape, Box Text)
{
    /// <summary>Whether the lines of the text are centred; else they begin at the left.</summary>
    public bool IsCentred { get; init; } = !Figure.TextBeside;

    /// <summary>The upper left corner of the icon.</summary>
    public Place Icon { get; init; } = Figure.TextBeside
        ? new(Shape.Middle.X - 9, Shape.Middle.Y - 9)
        : new(Shape.X + Figure.Padding, Text.Middle.Y - (Figure.Icon / 2));
}
