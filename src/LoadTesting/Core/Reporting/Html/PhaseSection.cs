namespace LoadTesting.Core.Reporting.Html;

/// <summary>The steps of a scenario beside the whole operation, on one scale: a waterfall where it is known when each begins.</summary>
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
            [Column.Words("Phase"), .. Column.Latency, Column.Words($"0 to {Figures.Ms(scale)} ms")]);
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
        LatencyCells.Write(html, latency);
        PercentileStrip.Write(html, latency, startMs, scaleMs);
        html.Close("tr");
    }
}

/// <summary>
/// A distribution as curves: latency over the percentile, as far out as the number of samples carries, with what is certain of it and the
/// baseline's.
/// </summary>
internal static class PercentileChart
{
    /// <summary>Fewer samples make no curve.</summary>
    private const long LeastSamples = 20;

    private const int GreatestNines = 4;
    private const double Step = 0.1;
    private const double StepOfMany = 0.25;

    /// <summary>A logarithmic axis has no place for nothing: a nanosecond, which is indistinguishable from it.</summary>
    private const double LeastMs = 1e-6;

    public static void Write(HtmlWriter html, ScenarioResult scenario, BaselineRow? baseline, bool isOneOfMany)
    {
        if (!IsDrawn(scenario.Latency))
        {
            return;
        }

        html.Open("div", ("class", "charts"));
        var nines = Nines(scenario.Latency.N, baseline?.Reference?.Latency);
        Whole(scenario, baseline, nines, isOneOfMany ? StepOfMany : Step).Write(html);
        if (!isOneOfMany && scenario.Phases.Any(phase => IsDrawn(phase.Value)))
        {
            Phases(scenario).Write(html);
        }

        html.Close("div");
    }

    private static bool IsDrawn(LatencyResult latency) => latency.N >= LeastSamples && latency.Histogram is not null;

    private static Chart Whole(ScenarioResult scenario, BaselineRow? baseline, int nines, double step)
    {
        var histogram = LatencyHistogram.Parse(scenario.Latency.Histogram!);
        var band = Band(histogram, step);
        var curves = new List<ChartSeries>
        {
            new("c0", $"this run, n {Figures.Count(scenario.Latency.N)}", Points(histogram, step), IsLine: true),
        };
        if (baseline?.Reference is { } reference && IsDrawn(reference.Latency))
        {
            curves.Insert(0, new(
                "base",
                $"baseline {RunHistory.Commit(baseline.Baseline!)}, n {Figures.Count(reference.Latency.N)}"
                    + (baseline.Unlike.Count > 0 ? $", unlike in {string.Join(", ", baseline.Unlike.Select(unlike => unlike.What))}" : ""),
                Points(LatencyHistogram.Parse(reference.Latency.Histogram!), step), IsLine: true));
        }

        var values = curves.SelectMany(curve => curve.Points).Select(point => point.Y).Concat(band.Select(point => point.High)).ToList();
        return new Chart(
            "Latency by percentile, whole operation", ChartAxis.Percentiles(nines),
            ChartAxis.Logarithmic("ms", values.Min(), values.Max()), curves)
        {
            Band = band,
            BandName = "95 % confidence",
            Words = $"Latency of {scenario.Name} by percentile: {Quoted(scenario.Latency)}"
                + (baseline?.Reference is { } other ? $"; of the baseline: {Quoted(other.Latency)}" : ""),
        };
    }

    private static Chart Phases(ScenarioResult scenario)
    {
        var curves = scenario.Phases.Where(phase => IsDrawn(phase.Value))
            .Select((phase, index) => new ChartSeries(
                $"c{index % 6}", $"{phase.Key}, n {Figures.Count(phase.Value.N)}",
                Points(LatencyHistogram.Parse(phase.Value.Histogram!), Step), IsLine: true))
            .ToList();
        var values = curves.SelectMany(curve => curve.Points).Select(point => point.Y).ToList();
        return new Chart(
            "Latency by percentile, phases", ChartAxis.Percentiles(Nines(scenario.Phases.Max(phase => phase.Value.N), null)),
            ChartAxis.Logarithmic("ms", values.Min(), values.Max()), curves)
        {
            Words = $"Latency of the phases of {scenario.Name} by percentile: "
                + string.Join("; ", scenario.Phases.Select(phase => $"{phase.Key} {Quoted(phase.Value)}")),
        };
    }

    private static string Quoted(LatencyResult latency) =>
        $"median {Figures.Ms(latency.P50Ms)} ms, p95 {Figures.Ms(latency.P95Ms)} ms, p99 {Figures.Ms(latency.P99Ms)} ms";

    private static int Nines(long n, LatencyResult? other) => Math.Clamp(
        (int)Math.Ceiling(Math.Log10(Math.Max(n, other is not null && IsDrawn(other) ? other.N : 0))), 1, GreatestNines);

    /// <summary>An end that nothing bounds is drawn at the least, or the greatest, latency that was seen.</summary>
    private static List<(double X, double Low, double High)> Band(LatencyHistogram histogram, double step) =>
    [
        .. Percentiles(histogram, step).Where(percentile => percentile is > 0 and < 100).Select(percentile =>
        {
            var (low, high) = PercentileInterval.Of(histogram, percentile);
            return (percentile, Math.Max(LeastMs, low ?? histogram.MinMs), Math.Max(LeastMs, high ?? histogram.MaxMs));
        }),
    ];

    private static List<(double X, double Y, string? Words)> Points(LatencyHistogram histogram, double step) =>
    [
        .. Percentiles(histogram, step)
            .Select(percentile => (percentile, Math.Max(LeastMs, histogram.PercentileMs(percentile)), (string?)null)),
    ];

    private static IEnumerable<double> Percentiles(LatencyHistogram histogram, double step)
    {
        var end = Math.Min(GreatestNines, Math.Log10(histogram.Count));
        for (var nines = 0.0; nines < end + step; nines += step)
        {
            yield return 100 * (1 - Math.Pow(10, -Math.Min(nines, end)));
        }
    }
}

/// <summary>A distribution as a strip from 0 to a common maximum: solid to the median, lighter to p95, a line to the maximum.</summary>
internal static class PercentileStrip
{
    private const double Width = 1000;

    // Narrower than this a bar could not be seen.
    private const double Least = 4;

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
        var from = Math.Clamp(startMs / scaleMs * Width, 0, Width - Least);
        html.Open("svg", ("viewBox", "0 0 1000 12"), ("preserveAspectRatio", "none"), ("aria-hidden", "true"));
        Bar(html, "to-max", from, max, 5, 2);
        Bar(html, "to-p95", from, p95, 3, 6);
        Bar(html, "to-p50", from, p50, 1, 10);
        html.Close("svg");

        void Bar(HtmlWriter into, string style, double x, double ms, double y, double height) => PercentileStrip.Bar(
            into, style, x, Math.Clamp(ms / scaleMs * Width, Least, Width - x), y, height);
    }

    private static void Bar(HtmlWriter html, string style, double x, double width, double y, double height) => html.Shape(
        "rect", ("class", style), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)), ("height", Number(height)));

    private static string Number(double value) => value.ToString("0", CultureInfo.InvariantCulture);
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
            html.Shape("rect", ("class", "to-max"), ("x", "0"), ("y", "5"), ("width", Number(x)), ("height", "2"));
            html.Shape("rect", ("class", "to-p50"), ("x", Number(x)), ("y", "1"), ("width", Number(width)), ("height", "10"));
            html.Close("svg");
        }

        html.Close("td");
    }

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
