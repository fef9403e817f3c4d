using LoadTesting.Core.Analysis.Trends;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A history as one page in the style of the run's report: a chart for each series, no script, no resource from elsewhere.</summary>
public static class TrendHtml
{
    /// <summary>The page as text.</summary>
    public static string Render(RunHistory history)
    {
        ArgumentNullException.ThrowIfNull(history);
        var title = TrendWords.Title(history);
        var html = new HtmlWriter().OpenPage(title, TrendStyle.Sheet);
        var scenarios = history.Series.GroupBy(series => series.Scenario).ToList();
        var (above, below) = (TrendTables.Changed(history), TrendTables.Rest(history));
        Header(html, history, title);
        html.Contents([.. above.Select(Link), .. scenarios.Select(scenario => (scenario.Key, scenario.Key)), .. below.Select(Link)]);
        Write(html, above);
        if (scenarios.Count > 0)
        {
            html.Open("p", ("class", "quiet keys"));
            html.Element("span", "a night", ("class", "trend-key night")).Element("span", "level", ("class", "trend-key level"));
            html.Element("span", "worse from here", ("class", "trend-key worse")).Element("span", "better from here", ("class", "trend-key better"));
            html.Element("span", "to watch", ("class", "trend-key watch")).Close("p");
        }

        foreach (var scenario in scenarios)
        {
            html.OpenSection(scenario.Key, scenario.Key);
            Charts(html, [.. scenario.Where(series => series.IsCurrent)]);
            foreach (var era in scenario.Where(series => !series.IsCurrent).GroupBy(series => series.Era).OrderByDescending(era => era.Key))
            {
                html.Open("details").Element("summary", $"Until {TrendWords.Date(era.Max(series => series.Points[^1].Utc))}, on other terms");
                Charts(html, [.. era]);
                html.Close("details");
            }

            html.CloseSection();
        }

        Write(html, below);
        return html.ClosePage().ToString();
    }

    private static (string Id, string Title) Link(ComparisonTable table) => (table.Title.ToLowerInvariant().Replace(' ', '-'), table.Title);

    private static void Header(HtmlWriter html, RunHistory history, string title)
    {
        html.Open("header").Element("h1", title).Open("ul", ("class", "headlines"));
        foreach (var statement in TrendWords.Statements(history))
        {
            var isNew = statement.StartsWith("New: ", StringComparison.Ordinal);
            var isWorse = statement.Contains(" is worse since ", StringComparison.Ordinal);
            html.Element("li", statement, ("class", !isNew ? "" : isWorse ? "bad" : "good"));
        }

        html.Close("ul").Close("header");
    }

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
        if (series[0].Reset is { } reset)
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
