namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// Everything about one scenario: the command that repeats it, its figures over time, its phases, its percentiles
/// beside those of the baseline, its findings, checks, ledger and counters.
/// </summary>
internal static class ScenarioDetail
{
    public static void Write(HtmlWriter html, ReportInput input, ScenarioResult scenario)
    {
        var baseline = input.BaselineOf(scenario);
        _ = scenario.Reproduce is { } command
            ? html.Open("p", ("class", "repeat")).Text("Repeat: ").Element("code", command).Close("p")
            : html.Paragraph(ReportText.NoCommand, "quiet");
        TimelineStrips.Write(html, scenario, input.Run.Scenarios.Count);
        PhaseTable.Write(html, scenario);
        html.Open("div", ("class", "charts"));
        PercentileChart.Write(html, scenario, baseline, StripColumns.IsMany(input.Run.Scenarios.Count));
        RateChart.Write(html, scenario, input.Run.Scenarios.Count);
        html.Close("div");
        ServerSplit.Write(html, scenario);
        foreach (var table in ReportTable.Filled(
            [.. new[] { BaselineText.Table(baseline) }.OfType<ReportTable>(), .. ScenarioTables.Wide(scenario)]))
        {
            HtmlDocument.Write(html, table);
        }

        html.Open("div", ("class", "facts"));
        foreach (var table in ScenarioTables.Narrow(scenario))
        {
            html.Open("div");
            HtmlDocument.Write(html, table);
            html.Close("div");
        }

        html.Close("div");
    }
}

/// <summary>
/// Whether latency rises with the rate: a dot for each interval. Left out on pages of many scenarios.
/// </summary>
internal static class RateChart
{
    private const int MinDots = 5;

    public static void Write(HtmlWriter html, ScenarioResult scenario, int scenarios)
    {
        if (StripColumns.IsMany(scenarios) || scenario.Timeline is not { Points.Count: >= MinDots } timeline)
        {
            return;
        }

        var pointsPerColumn = StripColumns.PointsPerColumn(timeline.Points.Count, scenarios);
        List<(double X, double Y, string? Description)> dots =
        [
            .. new StripSource(scenario, timeline, pointsPerColumn).RatesAndP95()
                .Select((figures, place) => (figures.Rate, figures.P95Ms, timeline.Points[place * pointsPerColumn].TMs))
                .Where(place => place is { Rate: > 0, P95Ms: > 0 })
                .Select(place => (place.Rate!.Value, place.P95Ms!.Value, Describe(place.Rate, place.P95Ms, place.TMs))),
        ];
        if (dots.Count < MinDots)
        {
            return;
        }

        var (fastest, slowest) = (dots.MinBy(dot => dot.Y), dots.MaxBy(dot => dot.Y));
        new Chart(
            "p95 by rate",
            ChartAxis.FromZero("completed per s", dots.Max(dot => dot.X)),
            ChartAxis.Logarithmic("ms", fastest.Y, slowest.Y),
            [new ChartSeries("c1", "p95 per interval", dots, IsLine: false)])
        {
            Description = $"p95 by rate, {Quantity.Of(dots.Count, "interval")}: lowest {fastest.Description}; "
                + $"highest {slowest.Description}",
        }.Write(html);
    }

    private static string? Describe(double? rate, double? p95Ms, long atMs) =>
        $"{Figures.Ms(p95Ms)} ms at {Figures.Rate(rate)} per s, {Figures.Counter(atMs / 1000.0)} s";
}
