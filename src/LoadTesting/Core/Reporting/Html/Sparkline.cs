namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// Rate and p95 of a scenario over time in one small drawing, each from 0 to its own maximum; for a scenario that ended
/// within a second its latency as a bar.
/// </summary>
internal static class Sparkline
{
    private const int MaxColumns = 40;
    private const int Width = 150;
    private const int Height = 28;
    private const int Margin = 2;

    public static void Write(HtmlWriter html, ScenarioResult scenario)
    {
        if (scenario.Timeline is not { Points.Count: > 1 } timeline)
        {
            PercentileStrip.Draw(html, scenario.Latency, 0, scenario.Latency.MaxMs ?? 0);
            return;
        }

        var pointsPerColumn = (timeline.Points.Count + MaxColumns - 1) / MaxColumns;
        var places = new StripSource(scenario, timeline, pointsPerColumn).RatesAndP95().ToList();
        html.Open("svg", ("viewBox", $"0 0 {Width} {Height}"), ("preserveAspectRatio", "none"), ("role", "img"),
            ("aria-label", $"{Range("rate", places.Select(place => place.Rate), "/s", Figures.Rate)}, "
                + Range("p95", places.Select(place => place.P95Ms), " ms", Figures.Ms)));
        Line(html, "c0", [.. places.Select(place => place.Rate)]);
        Line(html, "c1", [.. places.Select(place => place.P95Ms)]);
        html.Close("svg");
    }

    private static string Range(
        string name, IEnumerable<double?> values, string unit, Func<double?, string> format) =>
        $"{name} {format(values.Min())} to {format(values.Max())}{unit}";

    private static void Line(HtmlWriter html, string style, IReadOnlyList<double?> values)
    {
        var highest = values.Max() is > 0 and var most ? most : 1;
        var path = new StringBuilder();
        var isDrawn = false;
        for (var index = 0; index < values.Count; index++)
        {
            if (values[index] is { } value)
            {
                var x = Margin + ((Width - (2 * Margin)) * index / (values.Count - 1));
                var y = (int)Math.Round(Height - Margin - ((Height - (2 * Margin)) * value / highest));
                path.Append(CultureInfo.InvariantCulture, $"{(isDrawn ? 'L' : 'M')}{x} {y}");
            }

            isDrawn = values[index] is not null;
        }

        html.Shape("path", ("class", "curve " + style), ("d", path.ToString()));
    }
}
