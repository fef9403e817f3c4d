using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The steps of a scenario beside the whole operation, on one scale: a waterfall where it is known when each begins.
/// </summary>
internal static class PhaseTable
{
    public static void Write(HtmlWriter html, ScenarioResult scenario)
    {
        var starts = scenario.PhaseStarts ?? scenario.Phases.ToDictionary(phase => phase.Key, _ => 0.0);
        var scale = scenario.Phases.Select(phase => starts.GetValueOrDefault(phase.Key) + (phase.Value.MaxMs ?? 0))
            .Append(scenario.Latency.MaxMs ?? 0).Max();
        html.OpenTable(
            scenario.Phases.Count == 0 ? "Latency" : "Phases",
            [Text("Operation"), .. Latency, Text($"0 to {Figures.Ms(scale)} ms")]);
        Row(html, "whole operation", scenario.Latency, 0, scale, "whole");
        foreach (var (phase, latency) in scenario.Phases
            .OrderBy(phase => starts.GetValueOrDefault(phase.Key, double.MaxValue)))
        {
            Row(html, phase, latency, starts.TryGetValue(phase, out var start) ? start : null, scale, "part");
        }

        html.CloseTable();
        html.Open("p", ("class", "legend quiet"));
        html.Element("span", "to the median", ("class", "key p50")).Text("\n")
            .Element("span", "to p95", ("class", "key p95")).Text("\n")
            .Element("span", "to the maximum", ("class", "key max"));
        if (scenario.Phases.Count > 0)
        {
            html.Text(scenario.PhaseStarts is null
                ? ReportText.NoPhaseStarts
                : ReportText.PhaseStarts);
        }

        html.Close("p");
    }

    private static void Row(
        HtmlWriter html, string name, LatencyResult latency, double? startMs, double scaleMs, string style)
    {
        html.Open("tr", ("class", style)).RowHeader(name);
        html.Numbers(Figures.Latency(latency));
        PercentileStrip.Write(html, latency, startMs, scaleMs);
        html.Close("tr");
    }
}
