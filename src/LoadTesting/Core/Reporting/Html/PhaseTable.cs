using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The steps of a scenario beside the whole operation, on one scale: a waterfall where it is known when each begins.
/// </summary>
internal static class PhaseTable
{
    public static void Write(HtmlWriter html, ScenarioResult scenario)
    {
        if (scenario.Phases.Count == 0)
        {
            return;
        }

        var starts = scenario.PhaseStarts ?? scenario.Phases.ToDictionary(phase => phase.Key, _ => 0.0);
        var scale = scenario.Phases.Select(phase => starts.GetValueOrDefault(phase.Key) + (phase.Value.MaxMs ?? 0))
            .Append(scenario.Latency.MaxMs ?? 0).Max();
        html.OpenTable(
            $"Phases of {scenario.Name}",
            [Text("Phase"), .. Latency, Text($"0 to {Figures.Ms(scale)} ms")]);
        Row(html, "whole operation", scenario.Latency, 0, scale, "whole");
        foreach (var (phase, latency) in scenario.Phases.OrderBy(phase => starts.GetValueOrDefault(phase.Key, double.MaxValue)))
        {
            Row(html, phase, latency, starts.TryGetValue(phase, out var start) ? start : null, scale, "part");
        }

        html.CloseTable();
        html.Open("p", ("class", "legend quiet"));
        html.Element("span", "to the median", ("class", "key p50")).Text("\n").Element("span", "to p95", ("class", "key p95")).Text("\n")
            .Element("span", "to the maximum", ("class", "key max"));
        html.Text(scenario.PhaseStarts is null ? "When phases begin was not recorded: each is drawn from 0."
            : "Each begins where it does on average; without a bar where that is not known.").Close("p");
    }

    private static void Row(HtmlWriter html, string name, LatencyResult latency, double? startMs, double scaleMs, string style)
    {
        html.Open("tr", ("class", style)).RowHeader(name);
        html.Numbers(Figures.Latency(latency));
        PercentileStrip.Write(html, latency, startMs, scaleMs);
        html.Close("tr");
    }
}

/// <summary>
/// A distribution as a strip from 0 to a common maximum: solid to the median, lighter to p95, a line to the maximum.
/// </summary>
internal static class PercentileStrip
{
    private const double Width = 1000;

    // The narrowest visible bar.
    private const double MinWidth = 4;

    /// <param name="html">Where to.</param>
    /// <param name="latency">The distribution.</param>
    /// <param name="startMs">Where it begins on the scale, milliseconds; null leaves the strip out.</param>
    /// <param name="scaleMs">What the scale ends with.</param>
    public static void Write(HtmlWriter html, LatencyResult latency, double? startMs, double scaleMs)
    {
        html.Open("td", ("class", "strip"));
        if (latency.MaxMs is { } max && startMs is { } start && scaleMs > 0)
        {
            Draw(html, latency, max, start, scaleMs);
        }

        html.Close("td");
    }

    private static void Draw(HtmlWriter html, LatencyResult latency, double max, double startMs, double scaleMs)
    {
        var p95 = Math.Min(latency.P95Ms ?? max, max);
        var p50 = Math.Min(latency.P50Ms ?? p95, p95);
        var from = Math.Clamp(startMs / scaleMs * Width, 0, Width - MinWidth);
        html.Open("svg", ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"), ("aria-hidden", "true"));
        Bar(html, "to-max", from, max, 5, 2);
        Bar(html, "to-p95", from, p95, 3, 6);
        Bar(html, "to-p50", from, p50, 1, 10);
        html.Close("svg");

        void Bar(HtmlWriter into, string style, double x, double ms, double y, double height) => PercentileStrip.Bar(
            into, style, x, Math.Clamp(ms / scaleMs * Width, MinWidth, Width - x), y, height);
    }

    private static void Bar(HtmlWriter html, string style, double x, double width, double y, double height) => html.Shape(
        "rect", ("class", style), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)), ("height", Number(height)));

    private static string Number(double value) => value.ToString("0", CultureInfo.InvariantCulture);
}
