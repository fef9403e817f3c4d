namespace Workflow.Diagrams.Layout;

/// <summary>How large nodes and labels are. The same on every machine: no font is asked.</summary>
public static class FigureSizes
{
    public const double FontSize = 13;
    public const double SmallFontSize = 11;
    private const double WidestText = 168;
    private const double WidestLabel = 150;
    private const double Event = 36;
    private const double Gateway = 44;

    /// <summary>The distance between two exits of one side.</summary>
    public const double ExitGap = 14;

    /// <summary>
    /// The distance between two exits with a boundary event, and between such a one and the middle of its side.
    /// </summary>
    public const double BoundaryGap = 28;

    /// <summary>The radius of the circle that a timeout or an error leaves by.</summary>
    public const double BoundaryRadius = 9;

    /// <param name="exits">Edges that leave the node.</param>
    /// <param name="boundaries">How many of them leave by a boundary event.</param>
    /// <param name="content">The size of what is inside a sub-process, with a margin around it.</param>
    public static Figure Of(
        DiagramNode node, int exits, int boundaries, (double Width, double Height) content = default)
    {
        switch (node.Kind)
        {
            case NodeKind.Start:
                return new Figure(Outline.Circle, Event, Event, node.Subtitle is null ? TextBlock.Empty : Text(node));
            case NodeKind.End or NodeKind.Terminate or NodeKind.Fail or NodeKind.Delay or NodeKind.Raise
                or NodeKind.Signal:
                return new Figure(Outline.Circle, Event, Event, Text(node));
            case NodeKind.Decide or NodeKind.Fork or NodeKind.Join or NodeKind.Inclusive or NodeKind.WaitFirst:
                // Four exits find their place on the tip of a diamond; more make it wider.
                return new Figure(Outline.Diamond, Gateway + (Math.Max(0, exits - 4) * ExitGap), Gateway, Text(node));
            case NodeKind.SubProcess:
                var title = Text(node);
                var widest = Math.Max(LeastWidth(title, boundaries), content.Width);
                return new Figure(
                    Outline.Frame, Even(widest), Even(Figure.FrameTop + title.Height + content.Height), title);
            default:
                var text = Text(node);
                return new Figure(Outline.Box, Even(LeastWidth(text, boundaries)), Even(text.Height + 18), text);
        }
    }

    // The text with its icon; and boundary events beside each other.
    private static double LeastWidth(TextBlock text, int boundaries) => Math.Max(
        text.Width + (3 * Figure.Padding) + Figure.Icon,
        boundaries == 0 ? 96 : 2 * ((boundaries * BoundaryGap) + Figure.Padding + BoundaryRadius));

    /// <summary>The text of an edge; null where it has none.</summary>
    public static TextBlock? LabelOf(DiagramEdge edge) =>
        string.IsNullOrEmpty(edge.Label)
            ? null
            : new TextBlock(TextMeasure.Wrap(edge.Label, SmallFontSize, WidestLabel, 2));

    private static TextBlock Text(DiagramNode node) => new(
        [
            .. TextMeasure.Wrap(node.Title, FontSize, WidestText, 2),
            .. string.IsNullOrEmpty(node.Subtitle) ? [] : TextMeasure.Wrap(node.Subtitle, SmallFontSize, WidestText, 1),
        ]);

    private static double Even(double value) => 2 * Math.Ceiling(value / 2);
}
