using System.Globalization;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A distribution as a strip from 0 to a common maximum: solid to the median, lighter to p95, a line to the maximum.</summary>
internal static class PercentileStrip
{
    private const double Width = 1000;

    // Narrower than this a bar could not be seen.
    private const double Least = 4;

    public static void Write(HtmlWriter html, LatencyResult latency, double scaleMs)
    {
        html.Open("td", ("class", "strip"));
        if (latency.MaxMs is { } max && scaleMs > 0)
        {
            Draw(html, latency, max, scaleMs);
        }

        html.Close("td");
    }

    private static void Draw(HtmlWriter html, LatencyResult latency, double max, double scaleMs)
    {
        var p95 = Math.Min(latency.P95Ms ?? max, max);
        var p50 = Math.Min(latency.P50Ms ?? p95, p95);
        html.Open(
            "svg", ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"), ("role", "img"),
            ("aria-label", $"median {Figures.Ms(latency.P50Ms)} ms, p95 {Figures.Ms(latency.P95Ms)} ms, maximum {Figures.Ms(max)} ms"));
        Bar(html, "to-max", 0, X(max, scaleMs), 5, 2);
        Bar(html, "to-p95", 0, X(p95, scaleMs), 3, 6);
        Bar(html, "to-p50", 0, X(p50, scaleMs), 1, 10);
        html.Close("svg");
    }

    private static double X(double ms, double scaleMs) => Math.Clamp(ms / scaleMs * Width, Least, Width);

    private static void Bar(HtmlWriter html, string style, double x, double width, double y, double height) => html
        .Open("rect", ("class", style), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)), ("height", Number(height))).Close("rect");

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
