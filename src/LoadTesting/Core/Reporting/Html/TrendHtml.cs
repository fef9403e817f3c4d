namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// A history as one page in the style of the run's report: a chart for each series, no script, no resource from
/// elsewhere.
/// </summary>
public static class TrendHtml
{
    private const string ChartsId = "trends";

    /// <summary>More scenarios than these are folded away.</summary>
    private const int MaxOpen = 4;

    public static string Render(RunHistory history)
    {
        var title = TrendText.Title(history);
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
        foreach (var (statement, outcome) in TrendText.Judged(history))
        {
            html.Element("li", statement, ("class", outcome is { } judged ? Badges.StyleOf(judged) : ""));
        }
    }

    /// <summary>
    /// The sections that <see cref="Write(HtmlWriter, RunHistory)"/> makes: changes, charts, levels, what was left out.
    /// </summary>
    internal static IReadOnlyList<(string Id, string Title)> Sections(RunHistory history) =>
    [
        .. TrendTables.Changed(history).Select(HtmlDocument.Link), (ChartsId, "Trends"),
        .. TrendTables.Rest(history).Select(HtmlDocument.Link),
    ];

    internal static void Write(HtmlWriter html, RunHistory history)
    {
        HtmlDocument.Sections(html, TrendTables.Changed(history));
        html.OpenSection(ChartsId, "Trends");
        var scenarios = history.Series.GroupBy(series => series.Scenario).ToList();
        if (scenarios.Count == 0)
        {
            html.Paragraph(ReportText.NoTrend, "quiet");
        }
        else
        {
            Keys(html);
        }

        foreach (var scenario in scenarios)
        {
            Scenario(html, [.. scenario],
                isOpen: scenarios.Count <= MaxOpen || scenario.Any(series => series.AgreedChanges.Any()));
        }

        html.CloseSection();
        HtmlDocument.Sections(html, TrendTables.Rest(history));
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
        _ = isOpen
            ? html.Open("details", ("class", "scenario"), ("open", "open"))
            : html.Open("details", ("class", "scenario"));
        var current = series.Where(one => one.IsCurrent).ToList();
        // A search has its capacity alone.
        var shown = current.Find(one => one.Metric.Name == HistoryMetric.Throughput) ?? current.FirstOrDefault();
        html.Open("summary").Element("h3", series[0].Scenario).Open("span", ("class", "key-figures"));
        html.Text(shown is null ? "not in the newest runs"
            : $"{TrendText.Metric(shown)} {TrendText.Value(shown, shown.Levels()[^1].Value)}, "
                + $"{Quantity.Of(shown.Points.Count, "daily run")}");
        html.Close("span").Close("summary");
        Charts(html, current);
        foreach (var era in series.Where(one => !one.IsCurrent).GroupBy(one => one.Era)
            .OrderByDescending(era => era.Key))
        {
            html.Open("details")
                .Element("summary", $"Until {TrendText.Date(era.Max(one => one.Points[^1].Utc))}, under other "
                    + $"conditions");
            Charts(html, [.. era]);
            html.Close("details");
        }

        html.Close("details");
    }

    private static void Charts(HtmlWriter html, IReadOnlyList<HistorySeries> series)
    {
        if (series.Count > 0 && series[0].Reset is { } reset)
        {
            html.Paragraph($"New series: {reset}.", "quiet");
        }

        html.Open("div", ("class", "trends"));
        foreach (var one in series)
        {
            TrendChart.Write(html, one);
        }

        html.Close("div");
    }
}
