namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// A series as a small chart: daily runs as dots, levels as lines, changes as upright lines. The scale is that of the
/// series, not from zero.
/// </summary>
internal static class TrendChart
{
    private const double Width = 320;
    private const double Height = 120;
    private const double Left = 52;
    private const double Right = 316;
    private const double Top = 8;
    private const double Bottom = 102;
    private const int ManyDailyRuns = 120;

    public static void Write(HtmlWriter html, HistorySeries series)
    {
        var levels = series.Levels();
        html.Open("figure").Open("figcaption").Element("span", TrendText.Metric(series))
            .Element("strong", TrendText.Value(series, levels[^1].Value)).Close("figcaption");
        html.Open(
            "svg", ("viewBox", $"0 0 {Number(Width)} {Number(Height)}"), ("role", "img"),
            ("aria-label", Describe(series, levels)));
        var scale = new Scale(series);
        Frame(html, series, scale);
        foreach (var (start, end, value) in levels)
        {
            Line(html, "trend-level", scale.X(start), scale.Y(value), scale.X(end - 1), scale.Y(value));
        }

        foreach (var change in series.AgreedChanges.Concat(TrendText.Watched(series)))
        {
            var x = (scale.X(change.Point.Index - 1) + scale.X(change.Point.Index)) / 2;
            var style = change.Point.IsAgreed ? TrendText.State(change) : "watch";
            html.Open("g").Element("title", TrendText.Sentence(series, change));
            Line(html, $"trend-change {style}", x, Top, x, Bottom);
            html.Close("g");
        }

        DailyRuns(html, series, scale);
        html.Close("svg").Close("figure");
    }

    private static void DailyRuns(HtmlWriter html, HistorySeries series, Scale scale)
    {
        var radius = Number(series.Points.Count > ManyDailyRuns ? 1.3 : 2.2);
        foreach (var point in series.Unsound)
        {
            html.Open(
                "circle", ("class", "trend-unsound"),
                ("cx", Number(scale.X(series.Points.Count(other => other.Utc < point.Utc) - 0.5))),
                ("cy", Number(scale.Y(point.Value))), ("r", radius));
            html.Element(
                "title", $"{TrendText.Date(point.Utc)}, {RunHistory.Commit(point.Run)}: {TrendText.Value(series, point.Value)}, "
                + point.Flaw).Close("circle");
        }

        for (var index = 0; index < series.Points.Count; index++)
        {
            var point = series.Points[index];
            var isNewest = index == series.Points.Count - 1;
            html.Open(
                "circle", ("class", isNewest ? "trend-daily newest" : "trend-daily"), ("cx", Number(scale.X(index))),
                ("cy", Number(scale.Y(point.Value))),
                ("r", isNewest ? "3" : radius));
            var value = TrendText.Value(series, point.Value) + TrendText.Interval(series, point);
            html.Element(
                "title", $"{TrendText.Date(point.Utc)}, {RunHistory.Commit(point.Run)}: {value}, of {point.Repetitions}")
                .Close("circle");
        }
    }

    private static void Frame(HtmlWriter html, HistorySeries series, Scale scale)
    {
        Line(html, "trend-frame", Left - 4, Bottom + 5, Width, Bottom + 5);
        foreach (var value in new[] { scale.Most, scale.Least }.Distinct())
        {
            html.Element(
                "text", TrendText.Value(series, value), ("x", Number(Left - 8)), ("y", Number(scale.Y(value) + 3)),
                ("class", "end"));
        }

        html.Element("text", TrendText.Date(series.Points[0].Utc), ("x", Number(Left - 4)), ("y", Number(Height - 2)));
        html.Element("text", TrendText.Date(series.Points[^1].Utc), ("x", Number(Width)), ("y", Number(Height - 2)),
            ("class", "end"));
    }

    private static string Describe(HistorySeries series, IReadOnlyList<(int Start, int End, double Value)> levels) =>
        $"{Quantity.Of(series.Points.Count, "daily run")}, levels "
        + string.Join(", ", levels.Select(level => TrendText.Value(series, level.Value)));

    private static void Line(HtmlWriter html, string style, double x1, double y1, double x2, double y2) => html
        .Open("line", ("class", style), ("x1", Number(x1)), ("y1", Number(y1)), ("x2", Number(x2)), ("y2", Number(y2)))
        .Close("line");

    private static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    private sealed class Scale(HistorySeries series)
    {
        public double Least { get; } = series.Points.Concat(series.Unsound).Min(point => point.Value);

        public double Most { get; } = series.Points.Concat(series.Unsound).Max(point => point.Value);

        public double X(double index) => series.Points.Count == 1
            ? (Left + Right) / 2
            : Math.Clamp(Left + ((Right - Left) * index / (series.Points.Count - 1)), Left, Right);

        public double Y(double value) =>
            Most > Least ? Bottom - ((Bottom - Top) * (value - Least) / (Most - Least)) : (Top + Bottom) / 2;
    }
}
