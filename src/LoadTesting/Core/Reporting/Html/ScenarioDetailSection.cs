namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// Each scenario by itself, folded away where there are many: the command that repeats it, its figures over time, its
/// phases, its percentiles beside those of the baseline.
/// </summary>
internal static class ScenarioDetailSection
{
    /// <summary>More scenarios than these are folded away, but for those that did not pass.</summary>
    private const int MaxOpen = 3;

    public static void Write(HtmlWriter html, ReportInput input)
    {
        html.Paragraph(
            "Time runs from the first intended start to the last completion, without warm-up; "
                + "an operation counts in the second in which "
            + "it completed. Upright bands are stalls: work was in flight and nothing completed.");
        var scenarios = input.Run.Scenarios;
        for (var index = 0; index < scenarios.Count; index++)
        {
            var scenario = scenarios[index];
            var isOpen = scenarios.Count <= MaxOpen || scenario.Verdict.Outcome == VerdictOutcome.Failed;
            _ = isOpen ? html.Open("details", ("class", "scenario"), ("id", Id(index)), ("open", "open"))
                : html.Open("details", ("class", "scenario"), ("id", Id(index)));
            Summary(html, scenario);
            Write(html, input, scenario);
            html.Close("details");
        }

        Explain(html, input.Run);
    }

    /// <summary>What the scenario's place on the page is called.</summary>
    public static string Id(int index) => $"scenario-{index + 1}";

    private static void Summary(HtmlWriter html, ScenarioResult scenario)
    {
        html.Open("summary").Open("h3").Text(scenario.Name).Close("h3").Verdict(scenario.Verdict.Outcome)
            .Open("span", ("class", "key-figures"))
            .Text($"{Figures.Rate(scenario.ThroughputPerSecond)} ops/s · p50 {Figures.Ms(scenario.Latency.P50Ms)} ms · p95 "
                + $"{Figures.Ms(scenario.Latency.P95Ms)} ms · n {Figures.Count(scenario.Latency.N)}")
            .Close("span").Close("summary");
    }

    private static void Write(HtmlWriter html, ReportInput input, ScenarioResult scenario)
    {
        foreach (var reason in scenario.Verdict.Reasons)
        {
            html.Paragraph(reason, "reason " + Badges.StyleOf(scenario.Verdict.Outcome));
        }

        html.Paragraph(
            $"{Quantity.Of(scenario.Operations, "operation")}, {Figures.Word(scenario.Hosting)}: {scenario.LoadModel}.",
            "quiet");
        _ = scenario.Reproduce is { } command
            ? html.Open("p", ("class", "repeat")).Text("Again: ").Element("code", command).Close("p")
            : html.Paragraph("No command was recorded for repeating this scenario.", "quiet");
        if (scenario.Requests is not null)
        {
            html.Paragraph($"Requests: {RequestTable.Line(scenario)}.", "quiet");
        }

        TimelineStrips.Write(html, scenario, input.Run.Scenarios.Count);
        PhaseTable.Write(html, scenario);
        PercentileChart.Write(
            html, scenario, input.BaselineOf(scenario), StripColumns.IsMany(input.Run.Scenarios.Count));
        RateChart.Write(html, scenario, input.Run.Scenarios.Count);
    }

    private static void Explain(HtmlWriter html, RunResult run)
    {
        if (run.Scenarios
            .Any(scenario => scenario.Phases.Keys.Any(phase => phase.StartsWith("signalTo", StringComparison.Ordinal))))
        {
            html.Paragraph(
                "Phases overlap and do not add up. Each signalTo… phase begins just before the publish "
                    + "call leaves, so it contains "
                + "signalPublish. signalToFirstCompletion is the system alone, per operation, "
                + "until the first line of the consumer's "
                + "callback; signalToCompletion ends when the whole batch is idle; "
                + "drainToIdle is the time from the last completion until "
                + "then, one sample a batch.",
                "quiet");
        }
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
            "p95 by throughput",
            ChartAxis.FromZero("completed per s", dots.Max(dot => dot.X)),
            ChartAxis.Logarithmic("ms", fastest.Y, slowest.Y),
            [new ChartSeries("c1", "p95 per interval", dots, IsLine: false)])
        {
            Description = $"p95 by throughput, {Figures.Count(dots.Count)} places: least {fastest.Description}; "
                + $"most {slowest.Description}",
        }.Write(html);
    }

    private static string? Describe(double? rate, double? p95Ms, long atMs) =>
        $"{Figures.Ms(p95Ms)} ms at {Figures.Rate(rate)} per s, {Figures.Counter(atMs / 1000.0)} s";
}
