namespace LoadTesting.Core.Reporting.Html;

/// <summary>One figure of a scenario over time: strips below one another share their time axis and mark the same stalls.</summary>
/// <param name="Name">What it shows.</param>
/// <param name="Unit">Of its scale.</param>
/// <param name="Scale">From the least to the greatest value it shows.</param>
/// <param name="Columns">How many intervals stand side by side.</param>
/// <param name="Lines">Its lines; each has dashes of its own, so that none needs its colour.</param>
internal sealed record Strip(string Name, string Unit, StripScale Scale, int Columns, IReadOnlyList<StripLine> Lines)
{
    internal const int Height = 100;

    /// <summary>A column is so wide: a point of a line lies in its middle.</summary>
    internal const int ColumnWidth = 2;

    // Narrower than this it could not be seen.
    private const double LeastStall = 0.5;

    private int Width => ColumnWidth * Columns;

    /// <summary>A path for each shade of a heat map, the faintest first; empty without one.</summary>
    public IReadOnlyList<string> Shades { get; init; } = [];

    /// <summary>Values that no line shows, which its key has where the pointer is; null without any.</summary>
    public StripLine? Hidden { get; init; }

    /// <summary>What it shows, for who cannot see it, after its name.</summary>
    public required string Words { get; init; }

    public void Write(HtmlWriter html, IReadOnlyList<(double From, double To)> stalls)
    {
        html.Open("div", ("class", Shades.Count > 0 ? "time-row tall" : "time-row"));
        html.Open("p", ("class", "time-name")).Text(Name).Element("span", Unit, ("class", "unit")).Close("p");
        html.Open("div", ("class", "time-plot")).Element("span", Scale.Label(Scale.High), ("class", "high"))
            .Element("span", Scale.Label(Scale.Low), ("class", "low"));
        html.Open(
            "svg", ("viewBox", $"0 0 {Width} {Height}"), ("preserveAspectRatio", "none"), ("role", "img"),
            ("aria-label", $"{Name}: {Words}"));
        for (var shade = 0; shade < Shades.Count; shade++)
        {
            if (Shades[shade].Length > 0)
            {
                html.Shape("path", ("class", $"heat h{shade + 1}"), ("d", Shades[shade]));
            }
        }

        foreach (var (from, to) in stalls)
        {
            var (x, end) = (from * Width, Math.Max(to * Width, (from * Width) + LeastStall));
            html.Shape("path", ("class", "stalled"), ("d", Invariant($"M{x:0.#} 0H{end:0.#}V{Height}H{x:0.#}z")));
        }

        foreach (var line in Lines)
        {
            html.Shape("path", ("class", "curve " + line.Style), ("d", Path(line)));
        }

        html.Close("svg").Close("div").Open("p", ("class", "time-key"));
        foreach (var line in Lines)
        {
            html.Element("span", line.Name, ("class", $"key stroke {line.Style}"), ("data-v", line.Packed())).Text("\n");
        }

        if (Hidden is { } hidden)
        {
            html.Element("span", hidden.Name, ("class", hidden.Style), ("hidden", "hidden"), ("data-v", hidden.Packed()));
        }

        html.Close("p").Close("div");
    }

    /// <summary>Relative and in whole units, since a report has thousands of points; nothing is drawn where there is no value.</summary>
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
                path.Append(Invariant($"M{(ColumnWidth * index) + (ColumnWidth / 2)} {toY}")).Append(isAlone ? "h1" : "");
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

/// <summary>A line of a strip: a value for each of equally long intervals, null where there is none.</summary>
/// <param name="Style">Class of the style sheet, which gives it its colour and its dashes.</param>
internal sealed record StripLine(string Style, string Name, IReadOnlyList<double?> Values)
{
    private const double Whole = 99.5;

    /// <summary>
    /// The values for the script: whole from 100 on, else three digits; empty where there is none, and equal neighbours once with their
    /// number, as <c>4.52,,0*12,1840</c>.
    /// </summary>
    public string Packed()
    {
        var packed = new StringBuilder();
        for (var index = 0; index < Values.Count;)
        {
            var text = Text(Values[index]);
            var from = index;
            while (index < Values.Count && Text(Values[index]) == text)
            {
                index++;
            }

            packed.Append(packed.Length > 0 || from > 0 ? "," : "").Append(text);
            _ = index - from > 1 ? packed.Append('*').Append(index - from) : packed;
        }

        return packed.ToString();
    }

    private static string Text(double? value) => value is not { } known ? ""
        : Math.Abs(known) >= Whole ? known.ToString("0", CultureInfo.InvariantCulture)
        : Math.Abs(known) < 0.001 ? "0"
        : known.ToString(known >= 10 ? "0.#" : known >= 1 ? "0.##" : "0.###", CultureInfo.InvariantCulture);
}

/// <summary>The scale of a strip, straight from 0 or logarithmic.</summary>
internal sealed record StripScale(double Low, double High, bool IsLogarithmic)
{
    /// <summary>From 0 to a round value of at least that.</summary>
    public static StripScale To(double highest) => new(0, ChartAxis.FromZero("", highest).Marks[^1].Value, false);

    /// <summary>Over tenths of decades around the values.</summary>
    public static StripScale Around(double lowest, double highest)
    {
        var (low, high) = ((int)Math.Floor(10 * Math.Log10(lowest)), (int)Math.Ceiling(10 * Math.Log10(highest)));
        return new(Math.Pow(10, low / 10.0), Math.Pow(10, Math.Max(high, low + 3) / 10.0), true);
    }

    /// <summary>Where a value lies, 0 to 1.</summary>
    public double Place(double value) => Math.Clamp(
        IsLogarithmic ? Math.Log10(Math.Max(value, Low) / Low) / Math.Log10(High / Low) : value / High, 0, 1);

    public string Label(double value) => value.ToString(
        value >= 10 || value == 0 ? "#,0" : value >= 1 ? "0.#" : "0.0##", CultureInfo.InvariantCulture);
}

/// <summary>Intervals of a timeline, so many together that no more of them stand side by side than can be seen.</summary>
internal static class StripColumns
{
    private const int Most = 120;
    private const int MostOfMany = 50;
    private const int ManyScenarios = 20;

    /// <summary>How many neighbours stand together: more on a page of many scenarios, so that a mail takes it.</summary>
    public static int Together(int points, int scenarios)
    {
        var most = IsMany(scenarios) ? MostOfMany : Most;
        return (points + most - 1) / most;
    }

    /// <summary>Whether a page of so many scenarios has to leave something out.</summary>
    public static bool IsMany(int scenarios) => scenarios > ManyScenarios;

    public static IReadOnlyList<T> Of<TPoint, T>(IReadOnlyList<TPoint> points, int together, Func<IReadOnlyList<TPoint>, T> value) =>
        [.. points.Chunk(together).Select(value)];

    /// <summary>The greatest of the values; null where there is none.</summary>
    public static double? Greatest<TPoint>(IReadOnlyList<TPoint> points, Func<TPoint, double?> value) => points.Max(value);
}
