namespace Workflow.Diagrams.Layout;

/// <summary>An upright rectangle in px.</summary>
public readonly record struct Box(double X, double Y, double Width, double Height)
{
    public double Right => X + Width;
    public double Bottom => Y + Height;
    public Place Middle => new(X + (Width / 2), Y + (Height / 2));
    public bool Overlaps(Box other) => X < other.Right && other.X < Right && Y < other.Bottom && other.Y < Bottom;
}
