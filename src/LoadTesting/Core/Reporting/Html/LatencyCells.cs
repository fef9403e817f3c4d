using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The six cells under <see cref="Column.Latency"/>.</summary>
internal static class LatencyCells
{
    public static void Write(HtmlWriter html, LatencyResult latency) => html
        .Number(Figures.Count(latency.N)).Number(Figures.Ms(latency.AverageMs)).Number(Figures.Ms(latency.P50Ms))
        .Number(Figures.Ms(latency.P95Ms)).Number(Figures.Ms(latency.P99Ms)).Number(Figures.Ms(latency.MaxMs));
}
