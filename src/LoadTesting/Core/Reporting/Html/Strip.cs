namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// One figure of a scenario over time: strips below one another share their time axis and mark the same stalls.
/// </summary>
/// <param name="Name">The name of the figure.</param>
/// <param name="Unit">Of its scale.</param>
/// <param name="Scale">From the least to the greatest value it shows.</param>
/// <param name="Columns">How many intervals stand side by side.</param>
/// <param name="Lines">Its lines; each has its own dash pattern, so that the strip is readable without colour.</param>
internal sealed record Strip(string Name, string Unit, StripScale Scale, int Columns, IReadOnlyList<StripLine> Lines)
{
    internal const int Height = 100;

    /// <summary>Width of a column; a point of a line lies in its middle.</summary>
    internal const int ColumnWidth = 2;

    // The narrowest visible band.
    private const double MinStallWidth = 0.5;

    private int Width => ColumnWidth * Columns;

    /// <summary>A path for each shade of a heat map, the faintest first; empty without one.</summary>
    public IReadOnlyList<string> Shades { get; init; } = [];

    /// <summary>Operations in the darkest cell of the heat map; 0 without one.</summary>
    public long MostInCell { get; init; }

    /// <summary>Values that no line shows, which its key has where the pointer is; null without any.</summary>
    public StripLine? Hidden { get; init; }

    /// <summary>A description for readers who cannot see the strip; follows its name.</summary>
    public required string Description { get; init; }

    /// <param name="html">The page.</param>
    /// <param name="stalls">From and to, as shares of the time.</param>
    /// <param name="times">The marks of the time axis, as shares of the time.</param>
    public void Write(
        HtmlWriter html, IReadOnlyList<(double From, double To)> stalls, IReadOnlyList<double> times)
    {
        html.Open("div", ("class", Shades.Count > 0 ? "time-row tall" : "time-row"));
        html.Open("p", ("class", "time-name")).Text(Name).Element("span", Unit, ("class", "unit")).Close("p");
        html.Open("div", ("class", "time-plot"));
        foreach (var mark in Scale.Marks)
        {
            html.Element("span", Scale.Label(mark), ("class", "tick"),
                ("style", Invariant($"bottom:{100 * Scale.Place(mark):0.#}%")));
        }

        html.Open(
            "svg", ("viewBox", $"0 0 {Width} {Height}"), ("preserveAspectRatio", "none"), ("role", "img"),
            ("aria-label", $"{Name}: {Description}"));
        for (var shade = 0; shade < Shades.Count; shade++)
        {
            if (Shades[shade].Length > 0)
            {
                html.Shape("path", ("class", $"heat h{shade + 1}"), ("d", Shades[shade]));
            }
        }

        html.Shape("path", ("class", "grid"), ("d", string.Concat(
            [
                .. Scale.Marks.Select(mark => Invariant($"M0 {Height * (1 - Scale.Place(mark)):0.#}H{Width}")),
                .. times.Select(time => Invariant($"M{Width * time:0.#} 0V{Height}")),
            ])));
        foreach (var (from, to) in stalls)
        {
            var (x, end) = (from * Width, Math.Max(to * Width, (from * Width) + MinStallWidth));
            html.Shape("path", ("class", "stalled"), ("d", Invariant($"M{x:0.#} 0H{end:0.#}V{Height}H{x:0.#}z")));
        }

        foreach (var line in Lines)
        {
            html.Shape("path", ("class", "curve " + line.Style), ("d", Path(line)));
        }

        html.Close("svg").Close("div").Open("p", ("class", "time-key"));
        foreach (var line in Lines)
        {
            html.Element("span", line.Name, ("class", $"key stroke {line.Style}"), ("data-v", line.Packed()))
                .Text("\n");
        }

        if (MostInCell > 0)
        {
            ShadeKey(html);
        }

        if (Hidden is { } hidden)
        {
            html.Element(
                "span", hidden.Name, ("class", hidden.Style), ("hidden", "hidden"), ("data-v", hidden.Packed()));
        }

        html.Close("p").Close("div");
    }

    /// <summary>The scale of the heat map: logarithmic, from one operation per cell to the most.</summary>
    private void ShadeKey(HtmlWriter html)
    {
        html.Open("span", ("class", "shades")).Text("operations per cell: 1");
        for (var shade = 1; shade <= Shades.Count; shade++)
        {
            html.Open("span", ("class", $"shade h{shade}")).Close("span");
        }

        html.Text(Figures.Count(MostInCell)).Close("span");
    }

    /// <summary>Relative and in whole units, because a report has thousands of points; gaps are not drawn.</summary>
    private string Path(StripLine line)
    {
        var path = new StringBuilder();
        var (isDrawn, y, level) = (false, 0, 0);
        for (var index = 0; index < line.Values.Count; index++)
        {
            if (line.Values[index] is not { } value)
            {
                Level();
                isDrawn = false;
                continue;
            }

            var toY = Height - (int)Math.Round(Scale.Place(value) * Height);
            if (!isDrawn)
            {
                var isAlone = index == line.Values.Count - 1 || line.Values[index + 1] is null;
                path.Append(Invariant($"M{(ColumnWidth * index) + (ColumnWidth / 2)} {toY}"))
                    .Append(isAlone ? "h1" : "");
            }
            else if (toY == y)
            {
                level += ColumnWidth;
            }
            else
            {
                Level();
                path.Append(Invariant($"l{ColumnWidth}{(toY < y ? "" : " ")}{toY - y}"));
            }

            (isDrawn, y) = (true, toY);
        }

        Level();
        return path.ToString();

        void Level()
        {
            path.Append(level > 0 ? Invariant($"h{level}") : "");
            level = 0;
        }
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
