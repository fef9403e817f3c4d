namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Text about a run beside its baselines.</summary>
internal static class BaselineText
{
    /// <summary>Whether the two results were compared and either can be called slower, faster or neither.</summary>
    public static bool IsCompared(BaselineRow row) => row.Finding is ComparisonFinding.Slower
        or ComparisonFinding.Mixed or ComparisonFinding.Within or ComparisonFinding.Faster;

    /// <summary>Whether throughput or latency is worse than the baseline's.</summary>
    public static bool IsWorse(BaselineRow row) => row.Finding is ComparisonFinding.Slower or ComparisonFinding.Mixed;

    public static string Word(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.NotRanked => "not comparable",
        ComparisonFinding.Missing => Figures.Absent,
        _ => ComparisonText.Word(finding),
    };

    /// <summary>Change of throughput and p95, as <c>rate -3.1 %, p95 +0.8 %</c>; empty without ratios.</summary>
    public static string Change(BaselineRow row) => string.Join(", ", new[]
    {
        row.Cell?.Throughput is { } rate ? $"rate {TrendText.SignedPercent(rate.Value - 1)}" : null,
        row.Cell?.P95 is { } p95 ? $"p95 {TrendText.SignedPercent(p95.Value - 1)}" : null,
    }.OfType<string>());

    /// <summary>What the column of the baseline leaves open, in one line; null if it leaves nothing open.</summary>
    public static string? Remarks(IReadOnlyList<BaselineRow> rows)
    {
        if (rows.Count > 0 && rows.All(row => row.Reference is null))
        {
            return ReportText.NoBaseline;
        }

        var missing = rows.Count(row => row.Reference is null);
        var unlike = rows.Where(row => row.Finding == ComparisonFinding.NotRanked).ToList();
        var differences = unlike.SelectMany(row => row.Unlike).Select(difference => difference.What).Distinct();
        var disturbed = rows.Count(row => IsWorse(row) && row.Scenario.Validity is { Vetoes.Count: > 0 });
        string?[] sentences =
        [
            missing > 0 ? ReportText.WithoutBaseline(missing) : null,
            unlike.Count > 0 ? ReportText.NotComparable(unlike.Count, differences) : null,
            disturbed > 0 ? ReportText.Disturbed(disturbed) : null,
        ];
        var text = string.Join(" ", sentences.OfType<string>());
        return text.Length == 0 ? null : text;
    }

    /// <summary>A scenario beside its baseline; null if it is in none.</summary>
    public static ReportTable? Table(BaselineRow? row)
    {
        if (row is not { Reference: { } reference, Baseline: { } baseline })
        {
            return null;
        }

        var (before, now) = (reference.Latency, row.Scenario.Latency);
        var title = $"Against the baseline {RunHistory.Commit(baseline)} of {TrendText.Date(baseline.CreatedUtc)}: "
            + Word(row.Finding);
        return new(title, row.Unlike.Count == 0 ? ReportText.BesideBaseline : null,
            [ReportColumn.Text("Figure"), new("Before"), new("Now"), new("Change")],
            [
                ReportRow.Values("throughput, ops/s", Figures.Rate(reference.ThroughputPerSecond),
                    Figures.Rate(row.Scenario.ThroughputPerSecond), Changed(row.Cell?.Throughput)),
                ReportRow.Values("p50, ms", Median(before), Median(now), Changed(row.Cell?.Median)),
                ReportRow.Values("p95, ms", Figures.Ms(before.P95Ms), Figures.Ms(now.P95Ms), Changed(row.Cell?.P95)),
                ReportRow.Values("n", Figures.Count(before.N), Figures.Count(now.N), ""),
                .. row.Unlike.Select(unlike => ReportRow.Detail(ComparisonText.Reason(unlike, "before", "now"))),
            ]);
    }

    /// <summary>The style of a badge; null where the word needs none.</summary>
    public static string? Style(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.Slower or ComparisonFinding.Mixed => "unsure",
        ComparisonFinding.Faster => "good",
        _ => null,
    };

    private static string Changed(ComparisonRatio? ratio) =>
        ratio is null ? Figures.Absent : TrendText.SignedPercent(ratio.Value - 1);

    /// <summary>The median, and its confidence interval where the operations of the run bound it.</summary>
    private static string Median(LatencyResult latency) => Figures.Ms(latency.P50Ms)
        + (latency.Histogram is { } histogram
            && PercentileInterval.Of(LatencyHistogram.Parse(histogram), 50) is ({ } low, { } high)
            ? $" ({Figures.Ms(low)} .. {Figures.Ms(high)})" : "");
}
