namespace Workflow.Diagrams.Layout;

/// <param name="Shape">The box around the shape.</param>
/// <param name="Text">The box around its text, in the shape or beside it.</param>
public sealed record PlacedNode(DiagramNode Node, Figure Figure, Box Shape, Box Text)
{
    /// <summary>Whether the lines of the text are centred; else they begin at the left.</summary>
    public bool IsCentred { get; init; } = !Figure.TextBeside;

    /// <summary>Whether the icon of a box is in its upper right corner; else it is left of the text.</summary>
    public bool HasIconInCorner { get; init; }

    /// <summary>The upper left corner of the icon.</summary>
    public Place Icon => this switch
    {
        { HasIconInCorner: true } => new(Shape.Right - Figure.Icon - 3, Shape.Y + 3),
        { Figure.TextBeside: true } => new(Shape.Middle.X - 9, Shape.Middle.Y - 9),
        _ => new(Shape.X + Figure.Padding, Text.Middle.Y - (Figure.Icon / 2)),
    };
}
