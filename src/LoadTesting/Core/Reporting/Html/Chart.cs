namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// A chart as inline SVG with its key below it in text: no script, and letters that stay readable on a telephone.
/// </summary>
internal sealed record Chart(string Caption, ChartAxis X, ChartAxis Y, IReadOnlyList<ChartSeries> Series)
{
    private const double Width = 400;
    private const double Height = 244;
    private const double Left = 46;
    private const double FullRight = 388;
    private const double LetterWidth = 5.2;
    private const double MaxLabelWidth = 130;
    private const double Top = 24;
    private const double Bottom = 206;

    /// <summary>Upright lines with a word.</summary>
    public IReadOnlyList<(double X, string Label)> Marks { get; init; } = [];

    /// <summary>The confidence band of the first line; empty without one.</summary>
    public IReadOnlyList<(double X, double Low, double High)> Band { get; init; } = [];

    /// <summary>What the band is, in the key.</summary>
    public string? BandName { get; init; }

    /// <summary>A description for readers who cannot see the chart.</summary>
    public required string Description { get; init; }

    public void Write(HtmlWriter html)
    {
        html.Open("figure", ("class", "chart")).Element("figcaption", Caption);
        html.Open(
            "svg", ("viewBox", $"0 0 {Number(Width)} {Number(Height)}"), ("role", "img"), ("aria-label", Description));
        Frame(html);
        for (var mark = 0; mark < Marks.Count; mark++)
        {
            Upright(html, Marks[mark], mark);
        }

        Shade(html);
        foreach (var series in Series)
        {
            Draw(html, series);
        }

        Labels(html);

        html.Close("svg");
        Key(html);
        html.Close("figure");
    }

    private void Frame(HtmlWriter html)
    {
        html.Shape("path", ("class", "grid"), ("d", string.Concat(
            [.. Y.Marks.Select(mark => $"M{Number(Left)} {Number(AtY(mark.Value))}H{Number(Right)}"),
                .. X.Marks.Select(mark => $"M{Number(AtX(mark.Value))} {Number(Top)}V{Number(Bottom)}")])));
        foreach (var (value, label) in Y.Marks)
        {
            Word(html, label, Left - 6, AtY(value) + 3.5, "end");
        }

        foreach (var (value, label) in X.Marks)
        {
            Word(html, label, AtX(value), Bottom + 14, AtX(value) > Right - 10 ? "end" : "middle");
        }

        Word(html, Y.Title, 2, Top - 12, "start");
        Word(html, X.Title, Right, Height - 8, "end");
    }

    /// <summary>Labels of neighbours are staggered, so that close marks stay readable.</summary>
    private void Upright(HtmlWriter html, (double X, string Label) mark, int order)
    {
        var x = AtX(mark.X);
        Line(html, "mark", x, Top, x, Bottom);
        var isRight = x > (Left + Right) / 2;
        Word(html, mark.Label, x + (isRight ? -4 : 4), Top + 10 + (13 * order), isRight ? "end" : "start");
    }

    private void Draw(HtmlWriter html, ChartSeries series)
    {
        if (series.IsLine)
        {
            var path =
                string.Join(' ', series.Points.Select(point => $"{Number(AtX(point.X))},{Number(AtY(point.Y))}"));
            html.Shape("polyline", ("class", "curve " + series.Style), ("points", path));
            return;
        }

        foreach (var (x, y, words) in series.Points)
        {
            html.Open("circle", ("class", "dot " + series.Style), ("cx", Number(AtX(x))), ("cy", Number(AtY(y))),
                ("r", "3.6"));
            if (words is not null)
            {
                html.Element("title", words);
            }

            html.Close("circle");
        }
    }

    private void Shade(HtmlWriter html)
    {
        if (Band.Count > 1)
        {
            var points = Band.Select(point => (point.X, Y: point.High))
                .Concat(Band.Reverse().Select(point => (point.X, Y: point.Low)));
            html.Shape("polygon", ("class", "band"),
                ("points", string.Join(' ', points.Select(point => $"{Number(AtX(point.X))},{Number(AtY(point.Y))}"))));
        }
    }

    /// <summary>The name of each of several lines at its end: none needs its colour.</summary>
    private void Labels(HtmlWriter html)
    {
        var lowest = double.MaxValue;
        var ending = Labelled().Where(line => line.Points.Count > 0)
            .OrderByDescending(line => AtY(line.Points[^1].Y));
        foreach (var series in ending)
        {
            var (x, y, _) = series.Points[^1];
            lowest = Math.Min(lowest - 11, AtY(y) + 3);
            Word(html, series.Label ?? series.Name!, AtX(x) + 4, lowest, "start");
        }
    }

    /// <summary>Lines with a name, if there are several.</summary>
    private IEnumerable<ChartSeries> Labelled() => Series.Count(series => series.IsLine) < 2
        ? []
        : Series.Where(series => series is { IsLine: true, Name: not null });

    /// <summary>The end of the plot, which leaves room for the names.</summary>
    private double Right => FullRight - Labelled()
        .Select(series => Math.Min(MaxLabelWidth, LetterWidth * (series.Label ?? series.Name!).Length))
        .DefaultIfEmpty(0).Max();

    private void Key(HtmlWriter html)
    {
        html.Open("p", ("class", "legend quiet"));
        foreach (var series in Series.Where(series => series.Name is not null))
        {
            html.Element(
                "span", series.Name!,
                ("class", $"key {(series.IsLine ? "stroke" : "spot")} {series.Style}")).Text("\n");
        }

        if (Band.Count > 1)
        {
            html.Element("span", BandName!, ("class", "key area")).Text("\n");
        }

        html.Close("p");
    }

    private double AtX(double value) => Left + (Math.Clamp(X.Place(value), 0, 1) * (Right - Left));

    private double AtY(double value) => Bottom - (Math.Clamp(Y.Place(value), 0, 1) * (Bottom - Top));

    private static void Line(HtmlWriter html, string style, double x1, double y1, double x2, double y2) => html
        .Shape("line", ("class", style), ("x1", Number(x1)), ("y1", Number(y1)), ("x2", Number(x2)),
            ("y2", Number(y2)));

    private static void Word(HtmlWriter html, string text, double x, double y, string anchor) =>
        html.Element("text", text, ("x", Number(x)), ("y", Number(y)), ("text-anchor", anchor));

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
