using LoadTesting.Core.Load;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The distributions as curves: latency over the percentile, as far out as the number of samples carries.</summary>
internal static class PercentileSection
{
    /// <summary>Fewer samples make no curve.</summary>
    private const long LeastSamples = 20;

    private const int GreatestNines = 4;
    private const double Step = 0.1;

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => IsDrawn(scenario.Latency));

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Both axes are logarithmic: from 90 to 99 is as far as from 99 to 99.9. A curve ends where one sample is left above it, so n samples reach the percentile " +
            "1 − 1/n, and no further than 99.99.");
        html.Open("div", ("class", "charts"));
        foreach (var scenario in run.Scenarios.Where(scenario => IsDrawn(scenario.Latency)))
        {
            Chart(scenario).Write(html);
        }

        html.Close("div");
    }

    private static bool IsDrawn(LatencyResult latency) => latency.N >= LeastSamples && latency.Histogram is not null;

    private static Chart Chart(ScenarioResult scenario)
    {
        var curves = scenario.Phases.Where(phase => IsDrawn(phase.Value)).Select((phase, index) => Curve(phase.Key, phase.Value, $"c{1 + (index % 5)}"))
            .Append(Curve("whole operation", scenario.Latency, "c0")).ToList();
        var values = curves.SelectMany(curve => curve.Points).Select(point => point.Y).ToList();
        var nines = Math.Clamp((int)Math.Ceiling(Math.Log10(curves.Max(curve => curve.N))), 1, GreatestNines);
        return new Chart(
            scenario.Name,
            ChartAxis.Percentiles(nines),
            ChartAxis.Logarithmic("ms", values.Min(), values.Max()),
            [.. curves.OrderBy(curve => curve.Style, StringComparer.Ordinal).Select(curve => new ChartSeries(curve.Style, $"{curve.Name}, n {Figures.Count(curve.N)}", curve.Points, IsLine: true))])
        {
            Words = $"Latency of {scenario.Name} by percentile: median {Figures.Ms(scenario.Latency.P50Ms)} ms, p95 {Figures.Ms(scenario.Latency.P95Ms)} ms, p99 {Figures.Ms(scenario.Latency.P99Ms)} ms",
        };
    }

    private static (string Name, long N, string Style, IReadOnlyList<(double X, double Y, string? Words)> Points) Curve(string name, LatencyResult latency, string style)
    {
        var histogram = LatencyHistogram.Parse(latency.Histogram!);
        var end = Math.Min(GreatestNines, Math.Log10(latency.N));
        var points = new List<(double, double, string?)>();
        for (var nines = 0.0; nines < end + Step; nines += Step)
        {
            var percentile = 100 * (1 - Math.Pow(10, -Math.Min(nines, end)));

            // A logarithmic axis has no place for nothing: a nanosecond, which no one can tell from it.
            points.Add((percentile, Math.Max(1e-6, histogram.PercentileMs(percentile)), null));
        }

        return (name, latency.N, style, points);
    }
}
