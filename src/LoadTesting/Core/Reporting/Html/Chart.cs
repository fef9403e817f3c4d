namespace LoadTesting.Core.Reporting.Html;

/// <summary>A chart as inline SVG with its key below it in text: no script, and letters that stay readable on a telephone.</summary>
internal sealed record Chart(string Caption, ChartAxis X, ChartAxis Y, IReadOnlyList<ChartSeries> Series)
{
    private const double Width = 400;
    private const double Height = 244;
    private const double Left = 46;
    private const double Right = 388;
    private const double Top = 24;
    private const double Bottom = 206;

    /// <summary>Upright lines with a word.</summary>
    public IReadOnlyList<ChartMark> Marks { get; init; } = [];

    /// <summary>What is certain of the first line, behind all lines; empty without one.</summary>
    public IReadOnlyList<(double X, double Low, double High)> Band { get; init; } = [];

    /// <summary>What the band is, in the key.</summary>
    public string? BandName { get; init; }

    /// <summary>What the chart shows, for who cannot see it.</summary>
    public required string Words { get; init; }

    public void Write(HtmlWriter html)
    {
        html.Open("figure", ("class", "chart")).Element("figcaption", Caption);
        html.Open("svg", ("viewBox", $"0 0 {Number(Width)} {Number(Height)}"), ("role", "img"), ("aria-label", Words));
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

        Letters(html);

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

    /// <summary>Words of neighbours stand one below the other, so that near marks stay readable.</summary>
    private void Upright(HtmlWriter html, ChartMark mark, int order)
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
            var path = string.Join(' ', series.Points.Select(point => $"{Number(AtX(point.X))},{Number(AtY(point.Y))}"));
            html.Shape("polyline", ("class", "curve " + series.Style), ("points", path));
            return;
        }

        foreach (var (x, y, words) in series.Points)
        {
            html.Open("circle", ("class", "dot " + series.Style), ("cx", Number(AtX(x))), ("cy", Number(AtY(y))), ("r", "3.6"));
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
            var points = Band.Select(point => (point.X, Y: point.High)).Concat(Band.Reverse().Select(point => (point.X, Y: point.Low)));
            html.Shape("polygon", ("class", "band"),
                ("points", string.Join(' ', points.Select(point => $"{Number(AtX(point.X))},{Number(AtY(point.Y))}"))));
        }
    }

    /// <summary>A letter at the end of each of several lines, which the key repeats: none needs its colour.</summary>
    private void Letters(HtmlWriter html)
    {
        var lowest = double.MaxValue;
        var ending = Lettered().Where(line => line.Series.Points.Count > 0).OrderByDescending(line => AtY(line.Series.Points[^1].Y));
        foreach (var (series, letter) in ending)
        {
            var (x, y, _) = series.Points[^1];
            lowest = Math.Min(lowest - 10, AtY(y) + 3);
            Word(html, letter, AtX(x) + 3, lowest, "start");
        }
    }

    private IEnumerable<(ChartSeries Series, string Letter)> Lettered() => Series.Count(series => series.IsLine) < 2
        ? []
        : Series.Where(series => series is { IsLine: true, Name: not null })
            .Select((series, index) => (series, ((char)('a' + index)).ToString()));

    private void Key(HtmlWriter html)
    {
        html.Open("p", ("class", "legend quiet"));
        var letters = Lettered().ToDictionary(line => line.Series, line => line.Letter + ": ");
        foreach (var series in Series.Where(series => series.Name is not null))
        {
            html.Element(
                "span", letters.GetValueOrDefault(series, "") + series.Name!,
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
        .Shape("line", ("class", style), ("x1", Number(x1)), ("y1", Number(y1)), ("x2", Number(x2)), ("y2", Number(y2)));

    private static void Word(HtmlWriter html, string text, double x, double y, string anchor) =>
        html.Element("text", text, ("x", Number(x)), ("y", Number(y)), ("text-anchor", anchor));

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}

/// <summary>An axis: its title, its marks, and where a value lies on it, from 0 to 1.</summary>
internal sealed record ChartAxis(string Title, IReadOnlyList<(double Value, string Label)> Marks, Func<double, double> Place)
{
    private const int Intervals = 4;

    /// <summary>From 0 to at least <paramref name="highest"/>, in steps of 1, 2 or 5.</summary>
    public static ChartAxis FromZero(string title, double highest)
    {
        var rough = (highest > 0 ? highest : 1) / Intervals;
        var power = Math.Pow(10, Math.Floor(Math.Log10(rough)));
        var step = power * (rough / power) switch { <= 1 => 1, <= 2 => 2, <= 5 => 5, _ => 10 };
        var end = Math.Ceiling((highest > 0 ? highest : 1) / step * (1 - 1e-9)) * step;
        var marks = Enumerable.Range(0, (int)Math.Round(end / step) + 1).Select(index => (index * step, Label(index * step)));
        return new ChartAxis(title, [.. marks], value => value / end);
    }

    /// <summary>From 0 to exactly <paramref name="end"/>, as time runs.</summary>
    public static ChartAxis UpTo(string title, double end) =>
        new(title, [.. FromZero(title, end).Marks.Where(mark => mark.Value <= end)], value => value / end);

    /// <summary>Logarithmic, over whole decades around the values; a mark at 1, or at 1, 2 and 5 where the decades are few.</summary>
    public static ChartAxis Logarithmic(string title, double lowest, double highest)
    {
        var (first, last) = ((int)Math.Floor(Math.Log10(lowest)), (int)Math.Ceiling(Math.Log10(highest)));
        last = Math.Max(last, first + 1);
        double[] multiples = last - first <= 2 ? [1, 2, 5] : [1];
        var marks = Enumerable.Range(first, last - first + 1)
            .SelectMany(decade => multiples.Select(multiple => multiple * Math.Pow(10, decade)))
            .Where(value => value <= Math.Pow(10, last) * (1 + 1e-9));
        return new ChartAxis(
            title, [.. marks.Select(value => (value, Label(value)))], value => (Math.Log10(value) - first) / (last - first));
    }

    /// <summary>Percentiles by how few lie above them: 0, 90, 99, 99.9 and 99.99 are equally far apart.</summary>
    /// <param name="nines">Decades shown, 1 to 4.</param>
    public static ChartAxis Percentiles(int nines) => new(
        "percentile",
        [
            (0, "0"), (50, "50"),
            .. new[] { 90, 99, 99.9, 99.99 }.Take(nines).Select(value => (value, value.ToString(CultureInfo.InvariantCulture))),
        ],
        value => -Math.Log10(1 - (value / 100)) / nines);

    private static string Label(double value) => value.ToString(value >= 1 ? "#,0.##" : "0.####", CultureInfo.InvariantCulture);
}

/// <summary>What is drawn in one colour.</summary>
/// <param name="Style">Class of the style sheet.</param>
/// <param name="Name">Its name in the key; null leaves it out there.</param>
/// <param name="Points">In the order in which a line joins them; words of a point are shown where a pointer rests on its dot.</param>
/// <param name="IsLine">Joined by a line, or each a dot.</param>
internal sealed record ChartSeries(string Style, string? Name, IReadOnlyList<(double X, double Y, string? Words)> Points, bool IsLine);

/// <summary>A place on the x axis with a word.</summary>
/// <param name="X">Where.</param>
/// <param name="Label">The word.</param>
internal sealed record ChartMark(double X, string Label);
