namespace Workflow.Diagrams.Layout;

/// <summary>Lines of text below each other, in px.</summary>
public sealed record TextBlock(IReadOnlyList<TextLine> Lines)
{
    public static readonly TextBlock Empty = new([]);
    public double Width { get; } = Lines.Count == 0 ? 0 : Lines.Max(line => line.Width);
    public double Height { get; } = Lines.Sum(HeightOf);
    public static double HeightOf(TextLine line) => Math.Ceiling(line.FontSize * 1.25);
}
