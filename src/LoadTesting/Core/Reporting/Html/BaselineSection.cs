using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Each scenario beside its accepted baseline, what is slower first.</summary>
internal static class BaselineSection
{
    private static readonly ReportColumn[] Columns =
    [
        Text("Scenario"), Text("Against the baseline"), new("Throughput", "of the baseline's"),
        new("Median", "of the baseline's"), new("p95", "of the baseline's"),
        new("p50 before", "ms, 95 %"), new("p50 now", "ms, 95 %"), new("n", "before, now"), Text("Baseline"),
    ];

    public static void Write(HtmlWriter html, ReportInput input)
    {
        html.Paragraph(BaselineText.Introduction);
        ScenarioSection.ExplainBatches(
            html, input.Rows.Where(row => row.Reference is not null).Select(row => row.Scenario));
        var compared = input.Rows.Where(row => row.Cell is { Finding: not ComparisonFinding.NotRanked }).ToList();
        if (compared.Count > 0)
        {
            html.OpenTable("Scenarios beside their baselines", Columns);
            foreach (var row in compared.OrderBy(row => ComparisonText.Rank(row.Finding)))
            {
                Row(html, row);
            }

            html.CloseTable();
        }

        foreach (var line in BaselineText.NotComparable(input.Rows))
        {
            html.Paragraph(line, "quiet");
        }

        var missing = input.Rows.Where(row => row.Reference is null).Select(row => row.Scenario.Name).ToList();
        if (missing.Count > 0)
        {
            html.Paragraph($"In no baseline: {string.Join(", ", missing)}.", "quiet");
        }
    }

    private static void Row(HtmlWriter html, BaselineRow row)
    {
        var (before, now) = (row.Reference!.Latency, row.Scenario.Latency);
        html.Open("tr").RowHeader(row.Scenario.Name).Open("td");
        _ = BaselineText.Style(row.Finding) is { } style
            ? html.Badge(BaselineText.Word(row.Finding), style)
            : html.Text(BaselineText.Word(row.Finding));
        html.Close("td").Number(Figures.Percent(row.Cell!.Throughput?.Value))
            .Number(Figures.Percent(row.Cell.Median?.Value))
            .Number(Figures.Percent(row.Cell.P95?.Value));
        Median(html, before);
        Median(html, now);
        html.Number(before.N == now.N ? Figures.Count(now.N) : $"{Figures.Count(before.N)}, {Figures.Count(now.N)}");
        html.Open("td", ("class", "line")).Text(RunHistory.Commit(row.Baseline!));
        html.Element("span", TrendText.Date(row.Baseline!.CreatedUtc), ("class", "unit")).Close("td").Close("tr");
        if (BaselineText.IsWorse(row) && row.Scenario.Validity is { Vetoes: [var veto, ..] })
        {
            html.DetailRow(Columns.Length, "The machine was not quiet: " + veto, "unsure");
        }
    }

    /// <summary>The median, and below it what is certain of it, where the operations of the run bound that.</summary>
    private static void Median(HtmlWriter html, LatencyResult latency)
    {
        html.Open("td", ("class", "number")).Text(Figures.Ms(latency.P50Ms));
        if (latency.Histogram is { } histogram
            && PercentileInterval.Of(LatencyHistogram.Parse(histogram), 50) is ({ } low, { } high))
        {
            html.Element("span", $"{Figures.Ms(low)} .. {Figures.Ms(high)}", ("class", "unit"));
        }

        html.Close("td");
    }
}
