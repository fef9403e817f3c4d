namespace LoadTesting.Core.Reporting.Html;

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
        if (startMs is { } start)
        {
            Draw(html, latency, start, scaleMs);
        }

        html.Close("td");
    }

    /// <summary>The bar alone; nothing without a maximum.</summary>
    public static void Draw(HtmlWriter html, LatencyResult latency, double startMs, double scaleMs)
    {
        if (latency.MaxMs is not { } max || scaleMs <= 0)
        {
            return;
        }

        var p95 = Math.Min(latency.P95Ms ?? max, max);
        var p50 = Math.Min(latency.P50Ms ?? p95, p95);
        var from = Math.Clamp(startMs / scaleMs * Width, 0, Width - MinWidth);
        html.Open("svg", ("class", "bar"), ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"),
            ("aria-hidden", "true"));
        Bar(html, "to-max", from, max, 5, 2);
        Bar(html, "to-p95", from, p95, 3, 6);
        Bar(html, "to-p50", from, p50, 1, 10);
        html.Close("svg");

        void Bar(HtmlWriter into, string style, double x, double ms, double y, double height) => PercentileStrip.Bar(
            into, style, x, Math.Clamp(ms / scaleMs * Width, MinWidth, Width - x), y, height);
    }

    private static void Bar(HtmlWriter html, string style, double x, double width, double y, double height) =>
        html.Shape(
        "rect", ("class", style), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)),
        ("height", Number(height)));

    private static string Number(double value) => value.ToString("0", CultureInfo.InvariantCulture);
}
