using LoadTesting.Core.Load;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Rate and percentiles of each scenario over time with its stalls.</summary>
internal static class TimelineSection
{
    private const int MostMarks = 5;

    private static readonly (string Name, string Style, Func<TimelinePoint, double?> Value)[] Percentiles =
    [
        ("p50", "c0", point => point.P50Ms), ("p95", "c3", point => point.P95Ms), ("p99", "c1", point => point.P99Ms),
    ];

    public static bool Applies(RunResult run) =>
        run.Scenarios.Any(scenario => scenario is { Timeline.Points.Count: > 1 } or { Stalls.Count: > 0 });

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Time runs from the first intended start to the last completion, without warm-up; an operation counts in the second in which "
            + "it completed.");
        foreach (var scenario in run.Scenarios.Where(scenario => scenario.Timeline is { Points.Count: > 1 }))
        {
            html.Element("h3", scenario.Name).Open("div", ("class", "charts"));
            Rate(scenario).Write(html);
            Latency(scenario)?.Write(html);
            html.Close("div");
        }

        Stalls(html, [.. run.Scenarios.Where(scenario => scenario.Stalls is { Count: > 0 })]);
        var shorter = run.Scenarios.Where(scenario => scenario.Timeline is { Points.Count: <= 1 }).Select(scenario => scenario.Name)
            .ToList();
        if (shorter.Count > 0)
        {
            html.Paragraph($"Over within a second, and not drawn: {string.Join(", ", shorter)}.", "quiet");
        }
    }

    private static Chart Rate(ScenarioResult scenario)
    {
        // Too little of an interval is no rate: the last one ends with the run.
        var timeline = scenario.Timeline!;
        var points = timeline.Points
            .Where(point => point.TMs == 0 || scenario.DurationMs - point.TMs >= timeline.IntervalMs / 2.0).ToList();
        var seconds = timeline.IntervalMs / 1000.0;
        var greatest = points.Max(point => Math.Max(point.Started, Math.Max(point.Completed, Unsuccessful(point)))) / seconds;
        List<ChartSeries> series =
            [Line("c4", "started", point => point.Started), Line("c0", "completed", point => point.Completed)];
        if (points.Any(point => Unsuccessful(point) > 0))
        {
            series.Add(Line("c1", "failed, refused, dropped or unknown", Unsuccessful));
        }

        return new Chart("Operations per second", Time(timeline), ChartAxis.FromZero("ops/s", greatest), series)
        {
            Marks = Marks(scenario),
            Words = $"Operations of {scenario.Name} per second over {Figures.Count(points.Count)} intervals of {Figures.Rate(seconds)} s, "
                + $"{Figures.Rate(greatest)}/s at most",
        };

        ChartSeries Line(string style, string name, Func<TimelinePoint, long> count) =>
            new(style, name, [.. points.Select(point => (Middle(timeline, point), count(point) / seconds, (string?)null))], IsLine: true);
    }

    private static long Unsuccessful(TimelinePoint point) => point.Failed + point.Refused + point.Dropped + point.Unknown;

    /// <summary>Null where nothing completed.</summary>
    private static Chart? Latency(ScenarioResult scenario)
    {
        var timeline = scenario.Timeline!;
        var values = timeline.Points.SelectMany(point => Percentiles.Select(percentile => percentile.Value(point))).OfType<double>()
            .Where(value => value > 0).ToList();
        return values.Count == 0
            ? null
            : new Chart(
                "Latency of what completed", Time(timeline), ChartAxis.Logarithmic("ms", values.Min(), values.Max()),
                [.. Percentiles.SelectMany(percentile => Lines(timeline, percentile))])
            {
                Marks = Marks(scenario),
                Words = $"Latency of {scenario.Name} over time, from {Figures.Ms(values.Min())} to {Figures.Ms(values.Max())} ms",
            };
    }

    /// <summary>A line for each stretch in which operations completed: no line leads over a time without any.</summary>
    private static IEnumerable<ChartSeries> Lines(
        TimelineResult timeline, (string Name, string Style, Func<TimelinePoint, double?> Value) percentile)
    {
        var name = percentile.Name;
        var line = new List<(double, double, string?)>();
        foreach (var point in timeline.Points.Append(new TimelinePoint { TMs = 0 }))
        {
            if (percentile.Value(point) is { } value)
            {
                line.Add((Middle(timeline, point), value, null));
            }
            else if (line.Count > 0)
            {
                yield return new ChartSeries(percentile.Style, name, [.. line], IsLine: line.Count > 1);
                name = null;
                line.Clear();
            }
        }
    }

    private static IReadOnlyList<ChartMark> Marks(ScenarioResult scenario) =>
    [
        .. (scenario.Stalls ?? []).OrderByDescending(stall => stall.DurationMs).Take(MostMarks).OrderBy(stall => stall.AtMs)
            .Select(stall => new ChartMark(
                stall.AtMs / 1000, $"stall {Figures.Rate(stall.DurationMs / 1000)} s, {TimelineWords.Word(stall.Cause)}")),
    ];

    private static ChartAxis Time(TimelineResult timeline) =>
        ChartAxis.UpTo("s", timeline.Points.Count * timeline.IntervalMs / 1000.0);

    private static double Middle(TimelineResult timeline, TimelinePoint point) => (point.TMs + (timeline.IntervalMs / 2.0)) / 1000;

    private static void Stalls(HtmlWriter html, IReadOnlyList<ScenarioResult> stalled)
    {
        if (stalled.Count == 0)
        {
            return;
        }

        html.Paragraph(TimelineWords.StallIntroduction);
        Column[] columns =
            [Column.Words("Scenario"), Column.Words("Cause"), new("At", "s"), new("Duration", "ms"), new("In flight", "iterations")];
        html.OpenTable("Stalls", columns);
        foreach (var scenario in stalled)
        {
            foreach (var stall in scenario.Stalls!)
            {
                html.Open("tr").RowHeader(scenario.Name).Open("td")
                    .Badge(TimelineWords.Word(stall.Cause), stall.Cause == StallCause.System ? "bad" : "unsure").Close("td");
                html.Number(Figures.Rate(stall.AtMs / 1000)).Number(Figures.Ms(stall.DurationMs)).Number(Figures.Count(stall.Iterations))
                    .Close("tr");
            }
        }

        html.CloseTable();
    }
}

/// <summary>The rules that scenarios declare, and what failed by code and message.</summary>
internal static class ThresholdSection
{
    private static readonly Column[] Columns =
    [
        Column.Words("Threshold"), Column.Words("Outcome"), Column.Words("Limit"), new("Measured"), new("n"),
    ];

    private static readonly Column[] ErrorColumns = [Column.Words("Code"), Column.Words("Message"), new("Count")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario is
        { Thresholds: { Count: > 0 } } or { Errors: { Count: > 0 } });

    public static void Write(HtmlWriter html, RunResult run)
    {
        var ruled = run.Scenarios.Where(scenario => scenario.Thresholds is { Count: > 0 }).ToList();
        if (ruled.Count > 0)
        {
            html.OpenTable("Thresholds that the scenarios declare", Columns);
            ruled.ForEach(scenario => Rules(html, scenario));
            html.CloseTable();
        }

        var failing = run.Scenarios.Where(scenario => scenario.Errors is { Count: > 0 }).ToList();
        if (failing.Count > 0)
        {
            html.OpenTable("Failures by code and message", ErrorColumns);
            failing.ForEach(scenario => Errors(html, scenario));
            html.CloseTable();
        }
    }

    private static void Rules(HtmlWriter html, ScenarioResult scenario)
    {
        html.GroupRow(Columns.Length, scenario.Name);
        foreach (var rule in scenario.Thresholds!)
        {
            html.Open("tr").RowHeader(rule.Metric).Open("td").Badge(TimelineWords.Word(rule.Outcome), rule.Outcome switch
            {
                ThresholdOutcome.Passed => "good",
                ThresholdOutcome.Failed => "bad",
                _ => "unsure",
            }).Close("td");
            html.Element("td", rule.Limit, ("class", "line")).Number(Figures.Counter(rule.Measured)).Number(Figures.Count(rule.N))
                .Close("tr");
        }
    }

    private static void Errors(HtmlWriter html, ScenarioResult scenario)
    {
        html.GroupRow(ErrorColumns.Length, scenario.Name);
        foreach (var error in scenario.Errors!)
        {
            html.Open("tr").RowHeader(error.Code.Length == 0 ? Figures.Absent : error.Code).Cell(error.Message)
                .Number(Figures.Count(error.Count)).Close("tr");
        }
    }
}
