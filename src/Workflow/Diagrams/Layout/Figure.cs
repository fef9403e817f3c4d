namespace Workflow.Diagrams.Layout;

/// <summary>The size of a node's shape and the text in it, or to the right of it; all in px.</summary>
public sealed record Figure(Outline Outline, double Width, double Height, TextBlock Text)
{
    /// <summary>Between a shape and the text beside it.</summary>
    public const double Gap = 6;

    /// <summary>The side of the icon in a box, which stands left of the text.</summary>
    public const double Icon = 16;

    public const double Padding = 10;

    /// <summary>Above the text of a frame: more than a boundary event at the upper border reaches inside.</summary>
    public const double FrameTop = 12;

    public bool TextBeside => Outline is Outline.Circle or Outline.Diamond;

    /// <summary>Where what is inside a frame begins, below its upper border.</summary>
    public double ContentTop => FrameTop + Text.Height;

    /// <summary>How far it reaches to the right of the middle of the shape.</summary>
    public double Right => (Width / 2) + (TextBeside && Text.Lines.Count > 0 ? Gap + Text.Width : 0);

    /// <summary>How far the border is from the middle of the shape, up and down, at a distance sideways.</summary>
    public double HalfHeightAt(double offset) => Outline switch
    {
        Outline.Box or Outline.Frame => Height / 2,
        Outline.Circle => Math.Sqrt(Math.Max(0, (Height * Height / 4) - (offset * offset))),
        _ => Math.Clamp((Width / 2) - Math.Abs(offset), 0, Height / 2),
    };
}
