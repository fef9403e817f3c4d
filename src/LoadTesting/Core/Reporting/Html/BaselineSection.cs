namespace LoadTesting.Core.Reporting.Html;

/// <summary>Each scenario beside its accepted baseline, what is slower first.</summary>
internal static class BaselineSection
{
    private static readonly Column[] Columns =
    [
        Column.Words("Scenario"), Column.Words("Against the baseline"), new("Throughput", "of the baseline's"),
        new("Median", "of the baseline's"),
        new("p50 before", "ms, 95 %"), new("p50 now", "ms, 95 %"), new("n", "before, now"), Column.Words("Baseline"),
    ];

    public static void Write(HtmlWriter html, ReportInput input)
    {
        html.Paragraph(BaselineWords.Introduction);
        ScenarioSection.ExplainBatches(html, input.Rows.Where(row => row.Reference is not null).Select(row => row.Scenario));
        html.OpenTable("Scenarios beside their baselines", Columns);
        foreach (var row in input.Rows.Where(row => row.Reference is not null).OrderBy(row => BaselineWords.Rank(row.Finding)))
        {
            Row(html, row);
        }

        html.CloseTable();
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
        _ = BaselineWords.Style(row.Finding) is { } style
            ? html.Badge(BaselineWords.Word(row.Finding), style)
            : html.Text(BaselineWords.Word(row.Finding));
        html.Close("td").Number(Figures.Percent(row.ThroughputRatio)).Number(Figures.Percent(row.LatencyRatio));
        Median(html, before);
        Median(html, now);
        html.Number(before.N == now.N ? Figures.Count(now.N) : $"{Figures.Count(before.N)}, {Figures.Count(now.N)}");
        html.Open("td", ("class", "line")).Text(BaselineWords.Commit(row.Baseline!));
        html.Element("span", TrendWords.Date(row.Baseline!.CreatedUtc), ("class", "unit")).Close("td").Close("tr");
        if (row.Unlike.Count > 0)
        {
            html.DetailRow(
                Columns.Length,
                string.Join("; ", row.Unlike.Select(unlike => $"{unlike.What}: {unlike.First} before, {unlike.Other} now")), "note");
        }
        else if (BaselineWords.IsWorse(row) && row.Scenario.Validity is { Vetoes: [var veto, ..] })
        {
            html.DetailRow(Columns.Length, "The machine was not quiet: " + veto, "unsure");
        }
    }

    /// <summary>The median, and below it what is certain of it, where the operations of the run bound that.</summary>
    private static void Median(HtmlWriter html, LatencyResult latency)
    {
        html.Open("td", ("class", "number")).Text(Figures.Ms(latency.P50Ms));
        if (latency.Histogram is { } histogram && PercentileInterval.Of(LatencyHistogram.Parse(histogram), 50) is ({ } low, { } high))
        {
            html.Element("span", $"{Figures.Ms(low)} .. {Figures.Ms(high)}", ("class", "unit"));
        }

        html.Close("td");
    }
}
