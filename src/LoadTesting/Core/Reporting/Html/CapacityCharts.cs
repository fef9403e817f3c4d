namespace LoadTesting.Core.Reporting.Html;

/// <summary>Charts of a ladder: throughput over requests at a time, and p95 over the load.</summary>
internal static class CapacityCharts
{
    public static void Write(HtmlWriter html, CapacityResult capacity)
    {
        html.Open("div", ("class", "charts"));
        if (capacity.Closed is { Steps.Count: > 0 } closed)
        {
            Throughput(capacity, closed).Write(html);
        }

        if (capacity.Open is { } open)
        {
            Latency(capacity.Name, "operations offered per second", open, step => step.OfferedPerSecond).Write(html);
        }
        else if (capacity.Closed is { Steps.Count: > 0 } alone)
        {
            Latency(capacity.Name, "requests at a time", alone, step => step.Concurrency).Write(html);
        }

        html.Close("div");
    }

    private static Chart Throughput(CapacityResult capacity, LadderResult ladder)
    {
        var highest = ladder.Steps.Max(step => step.Concurrency!.Value);
        var series = Dots(ladder, step => step.Concurrency, step => step.ThroughputPerSecond);
        return new Chart(
            "Throughput over requests at a time",
            ChartAxis.FromZero("requests at a time", highest),
            ChartAxis.FromZero("ops/s", series.SelectMany(one => one.Points).Max(point => point.Y)),
            series)
        {
            Description = $"Throughput of {capacity.Name}: "
                + string.Join(
                    ", ", ladder.Steps.Select(
                        step => $"{CapacityDetail.Load(step)} {Figures.Rate(step.ThroughputPerSecond)} a second")),
        };
    }

    private static Chart Latency(string name, string load, LadderResult ladder, Func<LoadStepResult, double?> of)
    {
        var series = Dots(ladder, of, step => step.P95Ms);
        var values = series.SelectMany(one => one.Points).Select(point => point.Y).Where(value => value > 0)
            .DefaultIfEmpty(1).ToList();
        return new Chart(
            "p95 over the load",
            ChartAxis.FromZero(load, ladder.Steps.Max(step => of(step) ?? 0)),
            ChartAxis.Logarithmic("p95, ms", values.Min(), values.Max()),
            series)
        {
            Marks = ladder.LastComfortable is { } last ? [(last, "last comfortable")] : [],
            Description = $"p95 of {name}: "
                + $"{string.Join(", ", ladder.Steps.Select(step => $"{CapacityDetail.Load(step)} {Figures.Ms(step.P95Ms)} ms"))}",
        };
    }

    private static List<ChartSeries> Dots(
        LadderResult ladder, Func<LoadStepResult, double?> x, Func<LoadStepResult, double?> y)
    {
        ChartSeries Of(string style, string name, bool comfortable) => new(
            style,
            name,
            [.. ladder.Steps
                .Where(step => step.Comfortable == comfortable && x(step) is not null && y(step) is not null)
                .Select(step => (x(step)!.Value, y(step)!.Value,
                    (string?)(CapacityDetail.Load(step)
                        + $": {Figures.Rate(step.ThroughputPerSecond)} a second, p95 {Figures.Ms(step.P95Ms)} ms")))],
            IsLine: false);

        return [.. new[] { Of("comfortable", "comfortable", true), Of("pressure", "under pressure", false) }
            .Where(series => series.Points.Count > 0)];
    }
}
