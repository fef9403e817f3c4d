using LoadTesting.Core.Analysis.Statistics;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A ladder drawn: throughput over requests at a time with the fitted law, and p95 over the load with the knee.</summary>
internal static class CapacityCharts
{
    private const int CurveSteps = 60;

    public static void Write(HtmlWriter html, CapacityResult capacity)
    {
        html.Open("div", ("class", "charts"));
        if (capacity.Closed is { Rungs.Count: > 0 } closed)
        {
            Throughput(capacity, closed).Write(html);
        }

        if (capacity.Open is { } open)
        {
            Latency(capacity.Name, "operations offered per second", open, rung => rung.OfferedPerSecond).Write(html);
        }
        else if (capacity.Closed is { Rungs.Count: > 0 } alone)
        {
            Latency(capacity.Name, "requests at a time", alone, rung => rung.Concurrency).Write(html);
        }

        html.Close("div");
    }

    private static Chart Throughput(CapacityResult capacity, LadderResult ladder)
    {
        var highest = ladder.Rungs.Max(rung => rung.Concurrency!.Value);
        var series = Dots(ladder, rung => rung.Concurrency, rung => rung.ThroughputPerSecond);
        if (capacity.Scalability is { Lambda: { } lambda, Sigma: { } sigma, Kappa: { } kappa })
        {
            var law = new ScalabilityFit(lambda, sigma, kappa, 0);
            var curve = Enumerable.Range(0, CurveSteps + 1).Select(step => highest * step / CurveSteps).Select(n => (n, law.ThroughputAt(n), (string?)null));
            series.Insert(0, new ChartSeries("c0", "Universal Scalability Law", [.. curve], IsLine: true));
        }

        return new Chart(
            "Throughput over requests at a time",
            ChartAxis.FromZero("requests at a time", highest),
            ChartAxis.FromZero("ops/s", series.SelectMany(one => one.Points).Max(point => point.Y)),
            series)
        {
            Marks = capacity.Scalability?.PeakConcurrency is { } peak && peak <= highest ? [new ChartMark(peak, $"N* {Figures.Rate(peak)}")] : [],
            Words = $"Throughput of {capacity.Name}: {string.Join(", ", ladder.Rungs.Select(rung => $"{CapacitySection.Load(rung)} {Figures.Rate(rung.ThroughputPerSecond)} a second"))}",
        };
    }

    private static Chart Latency(string name, string load, LadderResult ladder, Func<RungResult, double?> of)
    {
        var series = Dots(ladder, of, rung => rung.P95Ms);
        var values = series.SelectMany(one => one.Points).Select(point => point.Y).Where(value => value > 0).DefaultIfEmpty(1).ToList();
        ChartMark?[] marks =
        [
            ladder.Knee is { } knee ? new ChartMark(knee, "knee") : null,
            ladder.LastComfortable is { } last ? new ChartMark(last, "last comfortable") : null,
        ];
        return new Chart(
            "p95 over the load",
            ChartAxis.FromZero(load, ladder.Rungs.Max(rung => of(rung) ?? 0)),
            ChartAxis.Logarithmic("p95, ms", values.Min(), values.Max()),
            series)
        {
            Marks = [.. marks.OfType<ChartMark>().OrderBy(mark => mark.X)],
            Words = $"p95 of {name}: {string.Join(", ", ladder.Rungs.Select(rung => $"{CapacitySection.Load(rung)} {Figures.Ms(rung.P95Ms)} ms"))}",
        };
    }

    private static List<ChartSeries> Dots(LadderResult ladder, Func<RungResult, double?> x, Func<RungResult, double?> y)
    {
        ChartSeries Of(string style, string name, bool comfortable) => new(
            style,
            name,
            [.. ladder.Rungs.Where(rung => rung.Comfortable == comfortable && x(rung) is not null && y(rung) is not null)
                .Select(rung => (x(rung)!.Value, y(rung)!.Value, (string?)$"{CapacitySection.Load(rung)}: {Figures.Rate(rung.ThroughputPerSecond)} a second, p95 {Figures.Ms(rung.P95Ms)} ms"))],
            IsLine: false);

        return [.. new[] { Of("comfortable", "comfortable", true), Of("pressure", "under pressure", false) }.Where(series => series.Points.Count > 0)];
    }
}
