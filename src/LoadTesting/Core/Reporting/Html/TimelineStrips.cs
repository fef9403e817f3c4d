using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A scenario over time: strips that share one axis, and the same figures as a table.</summary>
internal static class TimelineStrips
{
    private const int MaxRows = 10;
    private const int MaxRowsOfMany = 6;
    private const int MaxStalls = 40;
    private const int MaxWaits = 4;

    public static void Write(HtmlWriter html, ScenarioResult scenario, int scenarios)
    {
        if (scenario.Timeline is not { Points.Count: > 1 } timeline)
        {
            html.Paragraph(
                scenario.Timeline is null
                    ? ReportText.NoTimeline
                    : ReportText.ShortTimeline, "quiet");
        }
        else
        {
            Draw(html, scenario, timeline, StripColumns.PointsPerColumn(timeline.Points.Count, scenarios));
            Table(html, scenario, timeline, StripColumns.IsMany(scenarios) ? MaxRowsOfMany : MaxRows);
        }

        Stalls(html, scenario);
    }

    private static void Draw(HtmlWriter html, ScenarioResult scenario, TimelineResult timeline, int pointsPerColumn)
    {
        var seconds = pointsPerColumn * timeline.IntervalMs / 1000.0;
        // The last column is as wide as the others, even if it covers less time.
        var end = seconds * ((timeline.Points.Count + pointsPerColumn - 1) / pointsPerColumn);
        var source = new StripSource(scenario, timeline, pointsPerColumn);
        var stalls = (scenario.Stalls ?? []).OrderByDescending(stall => stall.DurationMs).Take(MaxStalls)
            .OrderBy(stall => stall.AtMs)
            .Select(stall => (stall.AtMs / 1000 / end, Math.Min(1.0, (stall.AtMs + stall.DurationMs) / 1000 / end)))
            .ToList();
        html.Open(
            "div", ("class", "over-time"), ("role", "group"), ("aria-label", $"{scenario.Name} over time"),
            ("data-step", seconds.ToString("0.######", CultureInfo.InvariantCulture)));
        var times = ChartAxis.UpTo("s", end);
        var missing = new List<string>();
        foreach (var (name, strip) in source.All(MaxWaits))
        {
            if (strip is null)
            {
                missing.Add(name);
            }
            else
            {
                strip.Write(html, stalls, [.. times.Marks.Select(mark => mark.Value / end)]);
            }
        }

        Axis(html, times, end);
        html.Close("div");
        if (pointsPerColumn > 1)
        {
            html.Paragraph(
                $"Each point covers {Figures.Counter(seconds)} s: rates are means, other figures are the maximum of "
                    + $"{pointsPerColumn} intervals.",
                "quiet");
        }

        if (missing.Count > 0)
        {
            html.Paragraph($"Not recorded: {string.Join(", ", missing)}.", "quiet");
        }
    }

    private static void Axis(HtmlWriter html, ChartAxis times, double end)
    {
        html.Open("div", ("class", "time-row axis")).Element("p", "s", ("class", "time-name unit"))
            .Open("div", ("class", "time-plot"));
        foreach (var (value, label) in times.Marks)
        {
            html.Element(
                "span", label, ("style", $"left:{(100 * value / end).ToString("0.#", CultureInfo.InvariantCulture)}%"));
        }

        html.Close("div").Open("p", ("class", "time-key")).Close("p").Close("div");
    }

    /// <summary>The figures of the strips in a few rows, for screen readers and for copying.</summary>
    private static void Table(HtmlWriter html, ScenarioResult scenario, TimelineResult timeline, int rows)
    {
        var pointsPerColumn = (timeline.Points.Count + rows - 1) / rows;
        (ReportColumn Column, Func<IReadOnlyList<TimelinePoint>, string> Text, bool IsShown)[] columns =
        [
            (new("started", "per s"), part => Rate(part, point => point.Started), true),
            (new("completed", "per s"), part => Rate(part, point => point.Completed), true),
            (new("not completed"), part => Figures.Count(part.Sum(StripSource.Unsuccessful)),
                timeline.Points.Any(point => StripSource.Unsuccessful(point) > 0)),
            (new("p50", "ms"), part => Figures.Ms(part.Max(point => point.P50Ms)), true),
            (new("p95", "ms"), part => Figures.Ms(part.Max(point => point.P95Ms)), true),
            (new("p99", "ms"), part => Figures.Ms(part.Max(point => point.P99Ms)), true),
            (new("in flight"), part => Figures.Count(part[^1].InFlight), true),
            (new("backlog"), part => Figures.Counter(part[^1].Backlog),
                timeline.Points.Any(point => point.Backlog is not null)),
            (new("lag p99", "ms"), part => Figures.Ms(part.Max(point => point.ScheduleLagP99Ms)),
                timeline.Points.Any(point => point.ScheduleLagP99Ms is not null)),
            (new("machine"), part => Figures.Percent(part.Max(point => point.Cpu?.Machine)),
                timeline.Points.Any(point => point.Cpu?.Machine is not null)),
        ];
        var shown = columns.Where(column => column.IsShown).ToList();
        html.Open("details").Element("summary", "The strips as a table");
        html.OpenTable("Figures over time", [new("from", "s"), .. shown.Select(column => column.Column)]);
        foreach (var part in timeline.Points.Chunk(pointsPerColumn))
        {
            html.Open("tr").Element("th", Figures.Counter(part[0].TMs / 1000.0), ("scope", "row"), ("class", "number"));
            shown.ForEach(column => html.Number(column.Text(part)));
            html.Close("tr");
        }

        html.CloseTable().Close("details");

        string Rate(IReadOnlyList<TimelinePoint> part, Func<TimelinePoint, long> count) =>
            Figures.Rate(timeline.PerSecond(
            (int)((part[0].TMs - timeline.Points[0].TMs) / timeline.IntervalMs), part.Count, count,
            scenario.DurationMs));
    }

    private static void Stalls(HtmlWriter html, ScenarioResult scenario)
    {
        if (scenario.Stalls is not { Count: > 0 } stalls)
        {
            return;
        }

        html.OpenTable(
            "Stalls", Text("Cause"), new("At", "s"), new("Duration", "ms"),
            new("In flight", "iterations"));
        foreach (var stall in stalls.Take(MaxStalls))
        {
            html.Open("tr").Open("th", ("scope", "row"))
                .Badge(TimelineText.Word(stall.Cause), stall.Cause == StallCause.System ? "bad" : "unsure").Close("th");
            html.Number(Figures.Rate(stall.AtMs / 1000)).Number(Figures.Ms(stall.DurationMs))
                .Number(Figures.Count(stall.Iterations))
                .Close("tr");
        }

        html.CloseTable();
        if (stalls.Count > MaxStalls)
        {
            html.Paragraph($"The first {Quantity.Of(MaxStalls, stalls.Count, "stall")}; run.json has all.", "quiet");
        }
    }
}
