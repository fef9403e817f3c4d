using LoadTesting.Core.Load;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The steps of each scenario beside the whole operation, on one scale per scenario.</summary>
internal static class PhaseSection
{
    private static readonly Column[] Columns = [Column.Words("Phase"), .. Column.Latency, Column.Words("0 to the scenario's maximum")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.Phases.Count > 0);

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph("Phases overlap and do not add up to the whole operation.");
        Explain(html, run);
        html.Open("p", ("class", "legend quiet"));
        html.Element("span", "to the median", ("class", "key p50")).Text("\n").Element("span", "to p95", ("class", "key p95")).Text("\n")
            .Element("span", "to the maximum", ("class", "key max")).Close("p");
        html.OpenTable("Latency of each phase", Columns);
        foreach (var scenario in run.Scenarios.Where(scenario => scenario.Phases.Count > 0))
        {
            var scale = scenario.Phases.Values.Append(scenario.Latency).Max(latency => latency.MaxMs ?? 0);
            html.GroupRow(Columns.Length, scenario.Name, $"scale 0 – {Figures.Ms(scale)} ms");
            Row(html, "whole operation", scenario.Latency, scale, "whole");
            foreach (var (phase, latency) in scenario.Phases)
            {
                Row(html, phase, latency, scale, "part");
            }
        }

        html.CloseTable();
    }

    private static void Explain(HtmlWriter html, RunResult run)
    {
        if (run.Scenarios.Any(scenario => scenario.Phases.Keys.Any(phase => phase.StartsWith("signalTo", StringComparison.Ordinal))))
        {
            html.Paragraph(
                "Each signalTo… phase begins just before the publish call leaves, so it contains signalPublish. signalToFirstCompletion is "
                + "the system alone, per operation, until the first line of the consumer's callback; signalToCompletion ends when the "
                + "whole batch is idle; drainToIdle is the time from the last completion until then, one sample a batch.");
        }
    }

    private static void Row(HtmlWriter html, string name, LatencyResult latency, double scaleMs, string style)
    {
        html.Open("tr", ("class", style)).RowHeader(name);
        LatencyCells.Write(html, latency);
        PercentileStrip.Write(html, latency, scaleMs);
        html.Close("tr");
    }
}

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
            "Both axes are logarithmic: from 90 to 99 is as far as from 99 to 99.9. A curve ends where one sample is left above it, so n "
            + "samples reach the percentile 1 − 1/n, and no further than 99.99.");
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
        var curves = scenario.Phases.Where(phase => IsDrawn(phase.Value))
            .Select((phase, index) => Curve(phase.Key, phase.Value, $"c{1 + (index % 5)}"))
            .Append(Curve("whole operation", scenario.Latency, "c0")).ToList();
        var values = curves.SelectMany(curve => curve.Points).Select(point => point.Y).ToList();
        var nines = Math.Clamp((int)Math.Ceiling(Math.Log10(curves.Max(curve => curve.N))), 1, GreatestNines);
        return new Chart(
            scenario.Name,
            ChartAxis.Percentiles(nines),
            ChartAxis.Logarithmic("ms", values.Min(), values.Max()),
            [.. curves.OrderBy(curve => curve.Style, StringComparer.Ordinal)
                .Select(curve => new ChartSeries(curve.Style, $"{curve.Name}, n {Figures.Count(curve.N)}", curve.Points, IsLine: true))])
        {
            Words = $"Latency of {scenario.Name} by percentile: median {Figures.Ms(scenario.Latency.P50Ms)} ms, p95 "
                + $"{Figures.Ms(scenario.Latency.P95Ms)} ms, p99 {Figures.Ms(scenario.Latency.P99Ms)} ms",
        };
    }

    private static (string Name, long N, string Style, IReadOnlyList<(double X, double Y, string? Words)> Points) Curve(
        string name, LatencyResult latency, string style)
    {
        var histogram = LatencyHistogram.Parse(latency.Histogram!);
        var end = Math.Min(GreatestNines, Math.Log10(latency.N));
        var points = new List<(double, double, string?)>();
        for (var nines = 0.0; nines < end + Step; nines += Step)
        {
            var percentile = 100 * (1 - Math.Pow(10, -Math.Min(nines, end)));

            // A logarithmic axis has no place for nothing: a nanosecond, which is indistinguishable from it.
            points.Add((percentile, Math.Max(1e-6, histogram.PercentileMs(percentile)), null));
        }

        return (name, latency.N, style, points);
    }
}

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
        .Open("rect", ("class", style), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)), ("height", Number(height)))
        .Close("rect");

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}

/// <summary>Where the server itself says the time went.</summary>
internal static class ServerSplitSection
{
    private static readonly Column[] Columns = [Column.Words("Part"), .. Column.Latency, Column.Words("One after the other, on average")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.ServerSplit is { Count: > 0 });

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "From the timestamps the server puts on its events: waiting in its queue, executing, committing, handing the event over, and "
            + "its way to the consumer. These parts follow one another. They are given only where server and consumer share a clock.");
        html.OpenTable("Server time by part", Columns);
        foreach (var scenario in run.Scenarios)
        {
            if (scenario.ServerSplit is not { Count: > 0 } split)
            {
                continue;
            }

            var whole = split.Values.Sum(latency => latency.AverageMs ?? 0);
            var before = 0.0;
            html.GroupRow(Columns.Length, scenario.Name, $"{Figures.Ms(whole)} ms on average");
            foreach (var (part, latency) in split)
            {
                html.Open("tr").RowHeader(part);
                LatencyCells.Write(html, latency);
                WaterfallStrip.Write(html, before, latency.AverageMs ?? 0, whole);
                html.Close("tr");
                before += latency.AverageMs ?? 0;
            }
        }

        html.CloseTable();
    }
}

/// <summary>One of several parts that follow one another: a bar that begins where the part before it ends.</summary>
internal static class WaterfallStrip
{
    private const double Width = 1000;

    // Narrower than this a bar could not be seen.
    private const double Least = 4;

    /// <param name="html">Where to.</param>
    /// <param name="beforeMs">What the parts before it take together.</param>
    /// <param name="partMs">What it takes.</param>
    /// <param name="wholeMs">What all take together.</param>
    public static void Write(HtmlWriter html, double beforeMs, double partMs, double wholeMs)
    {
        html.Open("td", ("class", "strip"));
        if (wholeMs > 0)
        {
            var width = Math.Clamp(partMs / wholeMs * Width, Least, Width);
            var x = Math.Min(beforeMs / wholeMs * Width, Width - width);
            html.Open(
                "svg", ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"), ("role", "img"),
                ("aria-label", $"{Figures.Ms(partMs)} ms after {Figures.Ms(beforeMs)} of {Figures.Ms(wholeMs)} ms"));
            html.Open("rect", ("class", "to-max"), ("x", "0"), ("y", "5"), ("width", Number(x)), ("height", "2")).Close("rect");
            html.Open("rect", ("class", "to-p50"), ("x", Number(x)), ("y", "1"), ("width", Number(width)), ("height", "10")).Close("rect");
            html.Close("svg");
        }

        html.Close("td");
    }

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
