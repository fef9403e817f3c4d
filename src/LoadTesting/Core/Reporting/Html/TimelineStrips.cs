namespace LoadTesting.Core.Reporting.Html;

/// <summary>A scenario over time: strips that share one axis, and the same figures as a table.</summary>
internal static class TimelineStrips
{
    private const int MostRows = 10;
    private const int MostRowsOfMany = 6;
    private const int MostStalls = 40;
    private const int MostWaits = 4;
    private const double Greatest = 1.0;

    public static void Write(HtmlWriter html, ScenarioResult scenario, int scenarios)
    {
        if (scenario.Timeline is not { Points.Count: > 1 } timeline)
        {
            html.Paragraph(
                scenario.Timeline is null ? "Figures over time were not recorded." : "Over within a second: not drawn over time.", "quiet");
        }
        else
        {
            Draw(html, scenario, timeline, StripColumns.Together(timeline.Points.Count, scenarios));
            Table(html, scenario, timeline, StripColumns.IsMany(scenarios) ? MostRowsOfMany : MostRows);
        }

        Stalls(html, scenario);
    }

    private static void Draw(HtmlWriter html, ScenarioResult scenario, TimelineResult timeline, int together)
    {
        var seconds = together * timeline.IntervalMs / 1000.0;
        // The last place may be more than is left: it is as wide as the others.
        var end = seconds * ((timeline.Points.Count + together - 1) / together);
        var source = new StripSource(scenario, timeline, together);
        var stalls = (scenario.Stalls ?? []).OrderByDescending(stall => stall.DurationMs).Take(MostStalls).OrderBy(stall => stall.AtMs)
            .Select(stall => (stall.AtMs / 1000 / end, Math.Min(Greatest, (stall.AtMs + stall.DurationMs) / 1000 / end))).ToList();
        html.Open(
            "div", ("class", "over-time"), ("role", "group"), ("aria-label", $"{scenario.Name} over time"),
            ("data-step", seconds.ToString("0.######", CultureInfo.InvariantCulture)));
        var missing = new List<string>();
        foreach (var (name, strip) in source.All(MostWaits))
        {
            if (strip is null)
            {
                missing.Add(name);
            }
            else
            {
                strip.Write(html, stalls);
            }
        }

        Axis(html, end);
        html.Close("div");
        if (together > 1)
        {
            html.Paragraph(
                $"Each place is {Figures.Rate(seconds)} s: rates are its mean, everything else the greatest of its {together} intervals.",
                "quiet");
        }

        if (missing.Count > 0)
        {
            html.Paragraph($"Not recorded: {string.Join(", ", missing)}.", "quiet");
        }
    }

    private static void Axis(HtmlWriter html, double end)
    {
        html.Open("div", ("class", "time-row axis")).Element("p", "s", ("class", "time-name unit")).Open("div", ("class", "time-plot"));
        foreach (var (value, label) in ChartAxis.UpTo("s", end).Marks)
        {
            html.Element("span", label, ("style", $"left:{(100 * value / end).ToString("0.#", CultureInfo.InvariantCulture)}%"));
        }

        html.Close("div").Open("p", ("class", "time-key")).Close("p").Close("div");
    }

    /// <summary>The strips in figures, a few rows: what a reader without eyes for curves needs, and what one copies.</summary>
    private static void Table(HtmlWriter html, ScenarioResult scenario, TimelineResult timeline, int rows)
    {
        var together = (timeline.Points.Count + rows - 1) / rows;
        (Column Column, Func<IReadOnlyList<TimelinePoint>, string> Text, bool IsShown)[] columns =
        [
            (new("started", "per s"), part => Rate(part, point => point.Started), true),
            (new("completed", "per s"), part => Rate(part, point => point.Completed), true),
            (new("not completed"), part => Figures.Count(part.Sum(StripSource.Unsuccessful)),
                timeline.Points.Any(point => StripSource.Unsuccessful(point) > 0)),
            (new("p50", "ms"), part => Figures.Ms(StripColumns.Greatest(part, point => point.P50Ms)), true),
            (new("p95", "ms"), part => Figures.Ms(StripColumns.Greatest(part, point => point.P95Ms)), true),
            (new("p99", "ms"), part => Figures.Ms(StripColumns.Greatest(part, point => point.P99Ms)), true),
            (new("in flight"), part => Figures.Count(part[^1].InFlight), true),
            (new("backlog"), part => Figures.Counter(part[^1].Backlog), timeline.Points.Any(point => point.Backlog is not null)),
            (new("lag p99", "ms"), part => Figures.Ms(StripColumns.Greatest(part, point => point.ScheduleLagP99Ms)),
                timeline.Points.Any(point => point.ScheduleLagP99Ms is not null)),
            (new("machine"), part => Figures.Percent(StripColumns.Greatest(part, point => point.Cpu?.Machine)),
                timeline.Points.Any(point => point.Cpu?.Machine is not null)),
        ];
        var shown = columns.Where(column => column.IsShown).ToList();
        html.Open("details").Element("summary", "The same in figures");
        html.OpenTable($"{scenario.Name} over time", [new("from", "s"), .. shown.Select(column => column.Column)]);
        foreach (var part in timeline.Points.Chunk(together))
        {
            html.Open("tr").Element("th", Figures.Counter(part[0].TMs / 1000.0), ("scope", "row"), ("class", "number"));
            shown.ForEach(column => html.Number(column.Text(part)));
            html.Close("tr");
        }

        html.CloseTable().Close("details");

        string Rate(IReadOnlyList<TimelinePoint> part, Func<TimelinePoint, long> count) =>
            Figures.Rate(part.Sum(count) * 1000.0 / (part.Count * timeline.IntervalMs));
    }

    private static void Stalls(HtmlWriter html, ScenarioResult scenario)
    {
        if (scenario.Stalls is not { Count: > 0 } stalls)
        {
            return;
        }

        html.OpenTable(
            $"Stalls of {scenario.Name}", Column.Words("Cause"), new("At", "s"), new("Duration", "ms"), new("In flight", "iterations"));
        foreach (var stall in stalls.Take(MostStalls))
        {
            html.Open("tr").Open("th", ("scope", "row"))
                .Badge(TimelineWords.Word(stall.Cause), stall.Cause == StallCause.System ? "bad" : "unsure").Close("th");
            html.Number(Figures.Rate(stall.AtMs / 1000)).Number(Figures.Ms(stall.DurationMs)).Number(Figures.Count(stall.Iterations))
                .Close("tr");
        }

        html.CloseTable();
        if (stalls.Count > MostStalls)
        {
            html.Paragraph($"The first {MostStalls} of {Figures.Count(stalls.Count)} stalls; run.json has all.", "quiet");
        }
    }
}

/// <summary>The strips of a scenario, made of its timeline.</summary>
internal sealed class StripSource(ScenarioResult scenario, TimelineResult timeline, int together)
{
    private const int MostErrors = 3;

    private static readonly string[] Styles = ["c1", "c3", "c2", "c5", "c4", "c0"];

    private readonly IReadOnlyList<TimelinePoint> _points = timeline.Points;
    private readonly int _columns = (timeline.Points.Count + together - 1) / together;

    public static long Unsuccessful(TimelinePoint point) => point.Failed + point.Refused + point.Dropped + point.Unknown;

    /// <summary>All strips in reading order, each with what it shows; null where that was not recorded.</summary>
    public IEnumerable<(string Name, Strip? Strip)> All(int mostWaits) =>
    [
        ("rate", Rate()),
        ("percentiles", Latency()),
        ("spread of latencies (heat map)", HeatMap()),
        ("errors", Errors()),
        ("in flight and backlog", Linear("Waiting", "operations",
            Line("c0", "in flight", point => point.InFlight), Line("c1", "backlog of the service", point => point.Backlog))),
        ("lateness of the generator", Linear("Generator", "p99, ms",
            Line("c0", "schedule lag", point => point.ScheduleLagP99Ms), Line("c1", "pool delay", point => point.PoolDelayP99Ms))),
        ("processors", Processors()),
        ("waits", Waits(mostWaits)),
    ];

    private Strip? Rate()
    {
        // In an open load an operation begins when it is due, whatever became of it: all of them are what was intended.
        var isOpen = scenario.Clocks.Count > 0 || _points.Any(point => point.ScheduleLagP99Ms is not null);
        return Linear(
            "Rate", "ops/s",
            isOpen ? PerSecond("c2", "intended", point => point.Started + point.Refused + point.Dropped + point.Unknown)
                : PerSecond("c2", "started", point => point.Started),
            PerSecond("c0", "completed", point => point.Completed));
    }

    /// <summary>What failed by code and message, where that was recorded, and what came to nothing otherwise.</summary>
    private Strip? Errors()
    {
        var named = _points.SelectMany(point => point.Errors ?? new Dictionary<string, long>())
            .GroupBy(error => error.Key, error => error.Value).OrderByDescending(error => error.Sum()).Take(MostErrors)
            .Select(error => error.Key).ToList();
        (string Name, Func<TimelinePoint, long> Count)[] kinds =
        [
            .. named.Select(name => (name, (Func<TimelinePoint, long>)(point => point.Errors?.GetValueOrDefault(name) ?? 0))),
            (named.Count > 0 ? "operations failed" : "failed", point => point.Failed), ("refused", point => point.Refused),
            ("dropped", point => point.Dropped), ("unknown", point => point.Unknown),
        ];
        var there = kinds.Where(kind => _points.Any(point => kind.Count(point) > 0)).Take(Styles.Length).ToList();
        var strip = Linear(
            "Errors", "per s",
            [.. (there.Count > 0 ? there : [("failed", point => point.Failed)])
                .Select((kind, index) => PerSecond(Styles[index], kind.Name, kind.Count))]);
        return there.Count > 0 ? strip : strip! with { Words = "none" };
    }

    private Strip? Latency()
    {
        StripLine[] lines =
        [
            Line("c0", "p50", point => point.P50Ms), Line("c1", "p95", point => point.P95Ms), Line("c2", "p99", point => point.P99Ms),
            Line("c3", "maximum", point => point.MaxMs),
        ];
        var values = lines.SelectMany(line => line.Values).OfType<double>().Where(value => value > 0).ToList();
        return values.Count == 0
            ? null
            : new Strip("Latency", "ms", StripScale.Around(values.Min(), values.Max()), _columns, Recorded(lines))
            {
                Words = WordsOf(lines),
            };
    }

    private Strip? Processors()
    {
        StripLine[] lines =
        [
            Line("c0", "machine", point => 100 * point.Cpu?.Machine), Line("c1", "generator", point => 100 * point.Cpu?.Generator),
            Line("c2", "service", point => 100 * point.Cpu?.Service), Line("c3", "database", point => 100 * point.Cpu?.Database),
        ];
        var there = Recorded(lines);
        return there.Count == 0
            ? null
            : new Strip("Processors", "% of all", new StripScale(0, 100, false), _columns, there) { Words = WordsOf(there) };
    }

    private Strip? Waits(int most)
    {
        var names = _points.SelectMany(point => point.Waits ?? new Dictionary<string, double>())
            .GroupBy(wait => wait.Key, wait => wait.Value).OrderByDescending(wait => wait.Sum()).Take(most).Select(wait => wait.Key)
            .ToList();
        return names.Count == 0 ? null : Linear(
            "Waits", "sessions",
            [.. names.Select((name, index) => Line(
                $"c{index}", name, point => point.Waits is { } waits ? waits.GetValueOrDefault(name) : null))]);
    }

    /// <summary>How latencies are spread, by shade: a shade is a fifth of the way, by logarithm, from one operation to the most.</summary>
    private Strip? HeatMap()
    {
        var columns = StripColumns.Of(_points, together, Counts);
        var most = columns.Max(column => column.Max());
        if (most == 0)
        {
            return null;
        }

        var used = Enumerable.Range(0, CoarseLatencies.Count).Where(bucket => columns.Any(column => column[bucket] > 0)).ToList();
        var (first, rows) = (used[0], used[^1] - used[0] + 1);
        return new Strip(
            "Spread", "ms", new StripScale(CoarseLatencies.FromMs(first), CoarseLatencies.FromMs(used[^1] + 1), true), _columns, [])
        {
            Shades = HeatShades.Draw(columns, first, rows, most),
            Hidden = new StripLine("most", "most near", [.. columns.Select(MostNear)]),
            Words = $"latencies from {Figures.Ms(CoarseLatencies.FromMs(first))} to {Figures.Ms(CoarseLatencies.FromMs(used[^1] + 1))} ms, "
                + $"darker where more operations completed, {Figures.Count(most)} in the darkest cell",
        };
    }

    /// <summary>The middle, by logarithm, of the bucket that most operations fell into; null where none completed.</summary>
    private static double? MostNear(long[] counts)
    {
        var bucket = Array.IndexOf(counts, counts.Max());
        return counts[bucket] == 0 ? null : Math.Sqrt(CoarseLatencies.FromMs(bucket) * CoarseLatencies.FromMs(bucket + 1));
    }

    private static long[] Counts(IReadOnlyList<TimelinePoint> points)
    {
        var sum = new long[CoarseLatencies.Count];
        foreach (var point in points.Where(point => point.Latencies is not null))
        {
            var counts = CoarseLatencies.Parse(point.Latencies!);
            for (var bucket = 0; bucket < sum.Length; bucket++)
            {
                sum[bucket] += counts[bucket];
            }
        }

        return sum;
    }

    private Strip? Linear(string name, string unit, params IReadOnlyList<StripLine> lines)
    {
        var there = Recorded(lines);
        return there.Count == 0
            ? null
            : new Strip(name, unit, StripScale.To(there.SelectMany(line => line.Values).Max() ?? 0), _columns, there)
            {
                Words = WordsOf(there),
            };
    }

    private static IReadOnlyList<StripLine> Recorded(IReadOnlyList<StripLine> lines) =>
        [.. lines.Where(line => line.Values.Any(value => value is not null))];

    private static string WordsOf(IReadOnlyList<StripLine> lines) => string.Join("; ", Recorded(lines).Select(line =>
        $"{line.Name} {Figures.Counter(Rounded(line.Values.Min()))} to {Figures.Counter(Rounded(line.Values.Max()))}"));

    private static double? Rounded(double? value) => value is { } number ? Math.Round(number, 3) : null;

    private StripLine Line(string style, string name, Func<TimelinePoint, double?> value) =>
        new(style, name, StripColumns.Of(_points, together, part => StripColumns.Greatest(part, value)));

    /// <summary>How many completed in a second of each place, and their p95, ms.</summary>
    public IEnumerable<(double? Rate, double? P95Ms)> Paces() =>
        PerSecond("", "", point => point.Completed).Values.Zip(Line("", "", point => point.P95Ms).Values);

    /// <summary>Too little of an interval is no rate: the last one ends with the run.</summary>
    private StripLine PerSecond(string style, string name, Func<TimelinePoint, long> count) => new(
        style, name, StripColumns.Of(_points, together, part =>
        {
            var lasts = Math.Min(part.Count * timeline.IntervalMs, scenario.DurationMs - part[0].TMs);
            return part[0].TMs > 0 && lasts < part.Count * timeline.IntervalMs / 2.0
                ? null
                : (double?)part.Sum(count) * 1000 / Math.Max(lasts, timeline.IntervalMs / 2.0);
        }));
}

/// <summary>A heat map as a path for each shade: cells of one shade that lie side by side are one rectangle.</summary>
internal static class HeatShades
{
    private const int Shades = 5;

    public static IReadOnlyList<string> Draw(IReadOnlyList<long[]> columns, int first, int rows, long most)
    {
        var paths = Enumerable.Range(0, Shades).Select(_ => new System.Text.StringBuilder()).ToArray();
        for (var row = 0; row < rows; row++)
        {
            var (top, bottom) = (Y(rows - row - 1, rows), Y(rows - row, rows));
            for (var column = 0; column < columns.Count;)
            {
                var shade = Shade(columns[column][first + row], most);
                var from = column;
                while (column < columns.Count && Shade(columns[column][first + row], most) == shade)
                {
                    column++;
                }

                if (shade >= 0)
                {
                    var (x, end) = (Strip.ColumnWidth * from, Strip.ColumnWidth * column);
                    paths[shade].Append(CultureInfo.InvariantCulture, $"M{x} {top}H{end}V{bottom}H{x}z");
                }
            }
        }

        return [.. paths.Select(path => path.ToString())];
    }

    private static int Shade(long count, long most) =>
        count == 0 ? -1 : Math.Min(Shades - 1, (int)(Shades * Math.Log(count + 1) / Math.Log(most + 2)));

    private static int Y(int row, int rows) => row * Strip.Height / rows;
}
