namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// A distribution as curves: latency over the percentile, as far out as the number of samples carries, with what is
/// certain of it and the baseline's.
/// </summary>
internal static class PercentileChart
{
    /// <summary>Fewer samples make no curve.</summary>
    private const long MinSamples = 20;

    private const int MaxNines = 4;
    private const double Step = 0.1;
    private const double StepOfMany = 0.25;

    /// <summary>A logarithmic axis cannot show 0: a nanosecond stands for it.</summary>
    private const double AxisMinMs = 1e-6;

    public static void Write(HtmlWriter html, ScenarioResult scenario, BaselineRow? baseline, bool isOneOfMany)
    {
        if (!IsDrawn(scenario.Latency))
        {
            return;
        }

        var nines = Nines(scenario.Latency.N, baseline?.Reference?.Latency);
        Whole(scenario, baseline, nines, isOneOfMany ? StepOfMany : Step).Write(html);
        if (!isOneOfMany && scenario.Phases.Any(phase => IsDrawn(phase.Value)))
        {
            Phases(scenario).Write(html);
        }
    }

    private static bool IsDrawn(LatencyResult latency) => latency.N >= MinSamples && latency.Histogram is not null;

    private static Chart Whole(ScenarioResult scenario, BaselineRow? baseline, int nines, double step)
    {
        var histogram = LatencyHistogram.Parse(scenario.Latency.Histogram!);
        var band = Band(histogram, step);
        var curves = new List<ChartSeries>
        {
            new("c0", $"this run, n {Figures.Count(scenario.Latency.N)}", Points(histogram, step), IsLine: true)
            {
                Label = "this run",
            },
        };
        if (baseline?.Reference is { } reference && IsDrawn(reference.Latency))
        {
            curves.Insert(0, new(
                "base",
                $"baseline {RunHistory.Commit(baseline.Baseline!)}, n {Figures.Count(reference.Latency.N)}"
                    + (baseline.Unlike.Count > 0
                        ? $", different {string.Join(", ", baseline.Unlike.Select(unlike => unlike.What))}" : ""),
                Points(LatencyHistogram.Parse(reference.Latency.Histogram!), step), IsLine: true)
                {
                    Label = "baseline",
                });
        }

        var values = curves.SelectMany(curve => curve.Points).Select(point => point.Y)
            .Concat(band.Select(point => point.High)).ToList();
        return new Chart(
            "Latency by percentile, whole operation", ChartAxis.Percentiles(nines),
            ChartAxis.Logarithmic("ms", values.Min(), values.Max()), curves)
        {
            Band = band,
            BandName = "95 % confidence",
            Description = $"Latency of {scenario.Name} by percentile: {Quoted(scenario.Latency)}"
                + (baseline?.Reference is { } other ? $"; of the baseline: {Quoted(other.Latency)}" : ""),
        };
    }

    private static Chart Phases(ScenarioResult scenario)
    {
        var curves = scenario.Phases.Where(phase => IsDrawn(phase.Value))
            .Select((phase, index) => new ChartSeries(
                $"c{index % 6}", $"{phase.Key}, n {Figures.Count(phase.Value.N)}",
                Points(LatencyHistogram.Parse(phase.Value.Histogram!), Step), IsLine: true) { Label = phase.Key })
            .ToList();
        var values = curves.SelectMany(curve => curve.Points).Select(point => point.Y).ToList();
        return new Chart(
            "Latency by percentile, phases",
            ChartAxis.Percentiles(Nines(scenario.Phases.Max(phase => phase.Value.N), null)),
            ChartAxis.Logarithmic("ms", values.Min(), values.Max()), curves)
        {
            Description = $"Latency of the phases of {scenario.Name} by percentile: "
                + string.Join("; ", scenario.Phases.Select(phase => $"{phase.Key} {Quoted(phase.Value)}")),
        };
    }

    private static string Quoted(LatencyResult latency) =>
        $"median {Figures.Ms(latency.P50Ms)} ms, p95 {Figures.Ms(latency.P95Ms)} ms, "
            + $"p99 {Figures.Ms(latency.P99Ms)} ms";

    private static int Nines(long n, LatencyResult? other) => Math.Clamp(
        (int)Math.Ceiling(Math.Log10(Math.Max(n, other is not null && IsDrawn(other) ? other.N : 0))), 1, MaxNines);

    /// <summary>An unbounded end is drawn at the minimum or maximum latency.</summary>
    private static List<(double X, double Low, double High)> Band(LatencyHistogram histogram, double step) =>
    [
        .. Percentiles(histogram, step).Where(percentile => percentile is > 0 and < 100).Select(percentile =>
        {
            var (low, high) = PercentileInterval.Of(histogram, percentile);
            return (percentile, Math.Max(AxisMinMs, low ?? histogram.MinMs),
                Math.Max(AxisMinMs, high ?? histogram.MaxMs));
        }),
    ];

    private static List<(double X, double Y, string? Description)> Points(LatencyHistogram histogram, double step) =>
    [
        .. Percentiles(histogram, step)
            .Select(percentile => (percentile, Math.Max(AxisMinMs, histogram.PercentileMs(percentile)), (string?)null)),
    ];

    private static IEnumerable<double> Percentiles(LatencyHistogram histogram, double step)
    {
        var end = Math.Min(MaxNines, Math.Log10(histogram.Count));
        for (var nines = 0.0; nines < end + step; nines += step)
        {
            yield return 100 * (1 - Math.Pow(10, -Math.Min(nines, end)));
        }
    }
}
