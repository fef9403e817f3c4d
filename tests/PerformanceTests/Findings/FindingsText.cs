namespace PerformanceTests.Findings;

/// <summary>Findings as lines of a test's output.</summary>
internal static class FindingsText
{
    public static string Of(FindingsResult findings) => string.Join(Environment.NewLine,
    [
        findings.Conclusion,
        string.Create(CultureInfo.InvariantCulture,
            $"response {1000 * findings.ResponseSeconds:0.0} ms, unexplained {1000 * findings.UnexplainedSeconds:0.0} ms"),
        .. findings.Ranked.Select(f => string.Create(
            CultureInfo.InvariantCulture,
            $"{f.Rank}. {f.Resource}: {1000 * f.ImpactSecondsPerOperation:0.0} ms, {f.ShareOfResponseTime:P0}, {f.Confidence}; "
            + $"{string.Join(" ", f.Evidence)}")),
        .. findings.Resources.Select(r => string.Create(
            CultureInfo.InvariantCulture,
            $"{r.Resource}: {r.State}, {1000 * r.ImpactSecondsPerOperation:0.0} ms, busy {r.Utilisation:0.00}, limit "
            + $"{r.LimitPerSecond:0}/s; {string.Join(" ", r.Evidence)}")),
    ]);
}
