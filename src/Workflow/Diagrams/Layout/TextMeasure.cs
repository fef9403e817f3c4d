namespace Workflow.Diagrams.Layout;

/// <summary>
/// Widths of the characters of Helvetica and Arial (and of Liberation Sans, which has the same) by Adobe's font
/// metrics. A picture forces its texts to the widths measured here, so that another font changes no box.
/// </summary>
public static class TextMeasure
{
    private const string Ellipsis = "…";

    // Thousandths of the font size, from the blank to the tilde.
    private static readonly short[] Widths =
    [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
        556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
        333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
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
            var line = rest;
            if (Width(rest, fontSize) > widest)
            {
                line = last ? Cut(rest, fontSize, widest) : rest[..Break(rest, fontSize, widest)];
            }

            rest = last ? "" : rest[Math.Min(rest.Length, line.Length)..].TrimStart();
            line = line.TrimEnd();
            lines.Add(new TextLine(line, fontSize, Width(line, fontSize)));
        }

        return lines;
    }

    /// <summary>
    /// The text on one line, without what XML cannot hold: control characters and halves of surrogate pairs.
    /// </summary>
    internal static string Plain(string text) => string.Join(' ', string.Concat(text.EnumerateRunes()
        .Select(rune =>
            System.Text.Rune.GetUnicodeCategory(rune) is UnicodeCategory.Control or UnicodeCategory.OtherNotAssigned
            ? " " : rune.ToString())).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));

    private static string Cut(string text, double fontSize, double widest)
    {
        var fits = Fitting(text, fontSize, widest - Width(Ellipsis, fontSize));
        return text[..fits].TrimEnd() + Ellipsis;
    }

    // After a blank, a separator, or between a small and a capital letter; in the middle of a word only where there is
    // none of these.
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
