namespace Workflow.Diagrams.Layout;

/// <summary>A line of text with the width it takes, in px.</summary>
public sealed record TextLine(string Text, double FontSize, double Width);

/// <summary>Lines of text below each other, in px.</summary>
public sealed record TextBlock(IReadOnlyList<TextLine> Lines)
{
    public static readonly TextBlock Empty = new([]);
    public double Width { get; } = Lines.Count == 0 ? 0 : Lines.Max(line => line.Width);
    public double Height { get; } = Lines.Sum(HeightOf);
    public static double HeightOf(TextLine line) => Math.Ceiling(line.FontSize * 1.25);
}

public enum Outline
{
    Box,
    Circle,

    /// <summary>A diamond; where it is wider than high, with a flat top and bottom.</summary>
    Diamond,

    /// <summary>A box around other nodes, with its text at the top.</summary>
    Frame,
}

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

    /// <summary>The distance between two exits with a boundary event, and between such a one and the middle of its side.</summary>
    public const double BoundaryGap = 28;

    /// <summary>The radius of the circle that a timeout or an error leaves by.</summary>
    public const double BoundaryRadius = 9;

    /// <param name="exits">Edges that leave the node.</param>
    /// <param name="boundaries">How many of them leave by a boundary event.</param>
    /// <param name="content">The size of what is inside a sub-process, with a margin around it.</param>
    public static Figure Of(DiagramNode node, int exits, int boundaries, (double Width, double Height) content = default)
    {
        switch (node.Kind)
        {
            case NodeKind.Start:
                return new Figure(Outline.Circle, Event, Event, node.Subtitle is null ? TextBlock.Empty : Text(node));
            case NodeKind.End or NodeKind.Terminate or NodeKind.Fail or NodeKind.Delay or NodeKind.Raise or NodeKind.Signal:
                return new Figure(Outline.Circle, Event, Event, Text(node));
            case NodeKind.Decide or NodeKind.Fork or NodeKind.Join or NodeKind.Inclusive or NodeKind.WaitFirst:
                // Four exits find their place on the tip of a diamond; more make it wider.
                return new Figure(Outline.Diamond, Gateway + (Math.Max(0, exits - 4) * ExitGap), Gateway, Text(node));
            case NodeKind.SubProcess:
                var title = Text(node);
                var widest = Math.Max(LeastWidth(title, boundaries), content.Width);
                return new Figure(Outline.Frame, Even(widest), Even(Figure.FrameTop + title.Height + content.Height), title);
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
        string.IsNullOrEmpty(edge.Label) ? null : new TextBlock(TextMeasure.Wrap(edge.Label, SmallFontSize, WidestLabel, 2));

    private static TextBlock Text(DiagramNode node) => new(
        [
            .. TextMeasure.Wrap(node.Title, FontSize, WidestText, 2),
            .. string.IsNullOrEmpty(node.Subtitle) ? [] : TextMeasure.Wrap(node.Subtitle, SmallFontSize, WidestText, 1),
        ]);

    private static double Even(double value) => 2 * Math.Ceiling(value / 2);
}

/// <summary>
/// Widths of the characters of Helvetica and Arial (and of Liberation Sans, which has the same) by Adobe's font metrics. A picture forces
/// its texts to the widths measured here, so that another font changes no box.
/// </summary>
public static class TextMeasure
{
    private const string Ellipsis = "…";

    // Thousandths of the font size, from the blank to the tilde.
    private static readonly short[] Widths =
    [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
        556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
        556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    ];

    /// <summary>The width in px, rounded up.</summary>
    public static double Width(string text, double fontSize)
    {
        var sum = 0;
        foreach (var rune in text.EnumerateRunes())
        {
            sum += rune.Value switch
            {
                >= ' ' and <= '~' => Widths[rune.Value - ' '],
                '…' => 1000,
                < 0x1100 => 600,
                _ => 1000,
            };
        }

        return Math.Ceiling(sum * fontSize / 1000);
    }

    /// <summary>Breaks a text into lines; what does not fit ends in an ellipsis.</summary>
    public static IReadOnlyList<TextLine> Wrap(string text, double fontSize, double widest, int mostLines)
    {
        var rest = Plain(text);
        List<TextLine> lines = [];
        while (rest.Length > 0)
        {
            var last = lines.Count == mostLines - 1;
            var line = Width(rest, fontSize) <= widest ? rest : last ? Cut(rest, fontSize, widest) : rest[..Break(rest, fontSize, widest)];
            rest = last ? "" : rest[Math.Min(rest.Length, line.Length)..].TrimStart();
            line = line.TrimEnd();
            lines.Add(new TextLine(line, fontSize, Width(line, fontSize)));
        }

        return lines;
    }

    /// <summary>The text on one line, without what XML cannot hold: control characters and halves of surrogate pairs.</summary>
    internal static string Plain(string text) => string.Join(' ', string.Concat(text.EnumerateRunes()
        .Select(rune => System.Text.Rune.GetUnicodeCategory(rune) is UnicodeCategory.Control or UnicodeCategory.OtherNotAssigned
            ? " " : rune.ToString())).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));

    private static string Cut(string text, double fontSize, double widest)
    {
        var fits = Fitting(text, fontSize, widest - Width(Ellipsis, fontSize));
        return text[..fits].TrimEnd() + Ellipsis;
    }

    // After a blank, a separator, or between a small and a capital letter; in the middle of a word only where there is none of these.
    private static int Break(string text, double fontSize, double widest)
    {
        var fits = Fitting(text, fontSize, widest);
        for (var at = fits; at > fits / 3; at--)
        {
            var before = text[at - 1];
            if (before is ' ' or '-' or '_' or '.' or ',' or '/' || text[at] == ' '
                || (char.IsUpper(text[at]) && char.IsLower(before)))
            {
                return at;
            }
        }

        return fits;
    }

    private static int Fitting(string text, double fontSize, double widest)
    {
        var fits = 0;
        while (fits < text.Length)
        {
            var next = fits + (char.IsHighSurrogate(text[fits]) && fits + 1 < text.Length ? 2 : 1);
            if (fits > 0 && Width(text[..next], fontSize) > widest)
            {
                break;
            }

            fits = next;
        }

        return fits;
    }
}
