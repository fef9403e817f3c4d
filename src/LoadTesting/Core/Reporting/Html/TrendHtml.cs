namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// A history as one page in the style of the run's report: a chart for each series, no script, no resource from elsewhere.
/// </summary>
public static class TrendHtml
{
    private const string ChartsId = "trends";

    /// <summary>More scenarios than these are folded away.</summary>
    private const int MostOpen = 4;

    public static string Render(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        var title = TrendWords.Title(history);
        var html = new HtmlWriter().OpenPage(title, TrendStyle.Sheet);
        html.Open("header").Element("h1", title).Open("ul", ("class", "headlines"));
        Statements(html, history);
        html.Close("ul").Close("header").Contents(Sections(history));
        Write(html, history);
        return html.ClosePage().ToString();
    }

    /// <summary>What was looked at, what changed, and each new change, as entries of a list.</summary>
    internal static void Statements(HtmlWriter html, RunHistory history)
    {
        foreach (var (statement, outcome) in TrendWords.Judged(history))
        {
            html.Element("li", statement, ("class", outcome is { } judged ? Badges.StyleOf(judged) : ""));
        }
    }

    /// <summary>The sections that <see cref="Write(HtmlWriter, RunHistory)"/> makes: changes, charts, levels, what was left out.</summary>
    internal static IReadOnlyList<(string Id, string Title)> Sections(RunHistory history) =>
    [
        .. TrendTables.Changed(history).Select(Link), (ChartsId, "Trends"), .. TrendTables.Rest(history).Select(Link),
    ];

    internal static void Write(HtmlWriter html, RunHistory history)
    {
        Write(html, TrendTables.Changed(history));
        html.OpenSection(ChartsId, "Trends");
        var scenarios = history.Series.GroupBy(series => series.Scenario).ToList();
        if (scenarios.Count == 0)
        {
            html.Paragraph("No result passed: there is nothing to draw.", "quiet");
        }
        else
        {
            Keys(html);
        }

        foreach (var scenario in scenarios)
        {
            Scenario(html, [.. scenario], isOpen: scenarios.Count <= MostOpen || scenario.SelectMany(TrendWords.Agreed).Any());
        }

        html.CloseSection();
        Write(html, TrendTables.Rest(history));
    }

    private static void Keys(HtmlWriter html)
    {
        html.Open("p", ("class", "quiet keys"));
        html.Element("span", "a daily run", ("class", "trend-key daily"))
            .Element("span", "did not pass", ("class", "trend-key unsound"))
            .Element("span", "level", ("class", "trend-key level"));
        html.Element("span", "worse from here", ("class", "trend-key worse"))
            .Element("span", "better from here", ("class", "trend-key better"));
        html.Element("span", "to watch", ("class", "trend-key watch")).Close("p");
    }

    /// <summary>Folded away where there are many, unless a level of it changed.</summary>
    private static void Scenario(HtmlWriter html, IReadOnlyList<HistorySeries> series, bool isOpen)
    {
        _ = isOpen ? html.Open("details", ("class", "scenario"), ("open", "open")) : html.Open("details", ("class", "scenario"));
        var current = series.Where(one => one.IsCurrent).ToList();
        // A search has its capacity alone.
        var shown = current.Find(one => one.Metric.Name == HistoryMetric.Throughput) ?? current.FirstOrDefault();
        html.Open("summary").Element("h3", series[0].Scenario).Open("span", ("class", "key-figures"));
        html.Text(shown is null ? "not in the newest runs"
            : $"{TrendWords.Metric(shown)} {TrendWords.Value(shown, TrendLevels.Of(shown)[^1].Value)}, "
                + $"{Figures.Count(shown.Points.Count)} daily runs");
        html.Close("span").Close("summary");
        Charts(html, current);
        foreach (var era in series.Where(one => !one.IsCurrent).GroupBy(one => one.Era).OrderByDescending(era => era.Key))
        {
            html.Open("details")
                .Element("summary", $"Until {TrendWords.Date(era.Max(one => one.Points[^1].Utc))}, on other terms");
            Charts(html, [.. era]);
            html.Close("details");
        }

        html.Close("details");
    }

    private static (string Id, string Title) Link(ComparisonTable table) => (table.Title.ToLowerInvariant().Replace(' ', '-'), table.Title);

    private static void Write(HtmlWriter html, IReadOnlyList<ComparisonTable> tables)
    {
        foreach (var table in tables)
        {
            html.OpenSection(Link(table).Id, table.Title);
            TableHtml.Write(html, table);
            html.CloseSection();
        }
    }

    private static void Charts(HtmlWriter html, IReadOnlyList<HistorySeries> series)
    {
        if (series.Count > 0 && series[0].Reset is { } reset)
        {
            html.Paragraph($"Began anew: {reset}.", "quiet");
        }

        html.Open("div", ("class", "trends"));
        foreach (var one in series)
        {
            TrendChart.Write(html, one);
        }

        html.Close("div");
    }
}

/// <summary>
/// A series as a small chart: daily runs as dots, levels as lines, changes as upright lines. The scale is that of the series, not from
/// zero.
/// </summary>
internal static class TrendChart
{
    private const double Width = 320;
    private const double Height = 120;
    private const double Left = 52;
    private const double Right = 316;
    private const double Top = 8;
    private const double Bottom = 102;
    private const int ManyDailyRuns = 120;

    public static void Write(HtmlWriter html, HistorySeries series)
    {
        var levels = TrendLevels.Of(series);
        html.Open("figure").Open("figcaption").Element("span", TrendWords.Metric(series))
            .Element("strong", TrendWords.Value(series, levels[^1].Value)).Close("figcaption");
        html.Open("svg", ("viewBox", $"0 0 {Number(Width)} {Number(Height)}"), ("role", "img"), ("aria-label", Words(series, levels)));
        var scale = new Scale(series);
        Frame(html, series, scale);
        foreach (var (start, end, value) in levels)
        {
            Line(html, "trend-level", scale.X(start), scale.Y(value), scale.X(end - 1), scale.Y(value));
        }

        foreach (var change in TrendWords.Agreed(series).Concat(TrendWords.Watched(series)))
        {
            var x = (scale.X(change.Point.Index - 1) + scale.X(change.Point.Index)) / 2;
            var style = change.Point.IsAgreed ? TrendWords.State(change) : "watch";
            html.Open("g").Element("title", TrendWords.Sentence(series, change));
            Line(html, $"trend-change {style}", x, Top, x, Bottom);
            html.Close("g");
        }

        DailyRuns(html, series, scale);
        html.Close("svg").Close("figure");
    }

    private static void DailyRuns(HtmlWriter html, HistorySeries series, Scale scale)
    {
        var radius = Number(series.Points.Count > ManyDailyRuns ? 1.3 : 2.2);
        foreach (var point in series.Unsound)
        {
            html.Open(
                "circle", ("class", "trend-unsound"), ("cx", Number(scale.X(series.Points.Count(other => other.Utc < point.Utc) - 0.5))),
                ("cy", Number(scale.Y(point.Value))), ("r", radius));
            html.Element("title", $"{TrendWords.Date(point.Utc)}, {RunHistory.Commit(point.Run)}: {TrendWords.Value(series, point.Value)}, "
                + point.Flaw).Close("circle");
        }

        for (var index = 0; index < series.Points.Count; index++)
        {
            var point = series.Points[index];
            var isNewest = index == series.Points.Count - 1;
            html.Open(
                "circle", ("class", isNewest ? "trend-daily newest" : "trend-daily"), ("cx", Number(scale.X(index))),
                ("cy", Number(scale.Y(point.Value))),
                ("r", isNewest ? "3" : radius));
            var value = TrendWords.Value(series, point.Value) + TrendWords.Interval(series, point);
            html.Element("title", $"{TrendWords.Date(point.Utc)}, {RunHistory.Commit(point.Run)}: {value}, of {point.Repetitions}")
                .Close("circle");
        }
    }

    private static void Frame(HtmlWriter html, HistorySeries series, Scale scale)
    {
        Line(html, "trend-frame", Left - 4, Bottom + 5, Width, Bottom + 5);
        foreach (var value in new[] { scale.Most, scale.Least }.Distinct())
        {
            html.Element(
                "text", TrendWords.Value(series, value), ("x", Number(Left - 8)), ("y", Number(scale.Y(value) + 3)), ("class", "end"));
        }

        html.Element("text", TrendWords.Date(series.Points[0].Utc), ("x", Number(Left - 4)), ("y", Number(Height - 2)));
        html.Element("text", TrendWords.Date(series.Points[^1].Utc), ("x", Number(Width)), ("y", Number(Height - 2)), ("class", "end"));
    }

    private static string Words(HistorySeries series, IReadOnlyList<(int Start, int End, double Value)> levels) =>
        $"{series.Points.Count} daily runs, levels {string.Join(", ", levels.Select(level => TrendWords.Value(series, level.Value)))}";

    private static void Line(HtmlWriter html, string style, double x1, double y1, double x2, double y2) => html
        .Open("line", ("class", style), ("x1", Number(x1)), ("y1", Number(y1)), ("x2", Number(x2)), ("y2", Number(y2))).Close("line");

    private static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    private sealed class Scale(HistorySeries series)
    {
        public double Least { get; } = series.Points.Concat(series.Unsound).Min(point => point.Value);

        public double Most { get; } = series.Points.Concat(series.Unsound).Max(point => point.Value);

        public double X(double index) => series.Points.Count == 1
            ? (Left + Right) / 2
            : Math.Clamp(Left + ((Right - Left) * index / (series.Points.Count - 1)), Left, Right);

        public double Y(double value) => Most > Least ? Bottom - ((Bottom - Top) * (value - Least) / (Most - Least)) : (Top + Bottom) / 2;
    }
}

/// <summary>What the page of a history adds to the style sheet.</summary>
internal static class TrendStyle
{
    public const string Sheet = """

        .trends { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); gap: 14px; margin-bottom: 14px; }
        .trends figure {
            margin: 0; padding: 10px 12px 8px; background: var(--raised); border: 1px solid var(--line);
            border-radius: 4px; break-inside: avoid;
        }
        .trends figcaption { display: flex; justify-content: space-between; gap: 12px; font-size: 13.5px; overflow-wrap: anywhere; }
        .trends figcaption strong { font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
        .trends svg { display: block; width: 100%; height: auto; margin-top: 6px; }
        .trends text { font-size: 10px; fill: var(--soft); font-variant-numeric: tabular-nums; }
        .trends .end { text-anchor: end; }
        .trend-frame { stroke: var(--line); stroke-width: 1; }
        .trend-daily { fill: var(--mark); opacity: 0.75; }
        .trend-daily.newest { opacity: 1; }
        .trend-unsound { fill: none; stroke: var(--bad); }
        .trend-level { stroke: var(--mark); stroke-width: 1.6; }
        .trend-change { stroke-width: 1.4; }
        .trend-change.worse { stroke: var(--bad); }
        .trend-change.better { stroke: var(--good); stroke-dasharray: 9 3; }
        .trend-change.watch { stroke: var(--unsure); stroke-dasharray: 2 3; }
        .keys { margin-top: 26px; }
        .trend-key { margin-right: 18px; white-space: nowrap; }
        .trend-key::before {
            content: ""; display: inline-block; width: 2px; height: 12px; margin-right: 7px; vertical-align: -1px;
            background: var(--mark);
        }
        .trend-key.daily::before { width: 6px; height: 6px; border-radius: 3px; vertical-align: 1px; background: var(--mark-mid); }
        .trend-key.unsound::before { width: 6px; height: 6px; border-radius: 3px; background: none; border: 1px solid var(--bad); }
        .trend-key.level::before { width: 16px; height: 2px; vertical-align: 3px; }
        .trend-key.worse::before { background: var(--bad); }
        .trend-key.better::before { width: 0; background: none; border-left: 2px dashed var(--good); }
        .trend-key.watch::before { width: 0; background: none; border-left: 2px dotted var(--unsure); }

        """;
}
