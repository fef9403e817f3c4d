using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The steps of each scenario beside the whole operation, on one scale per scenario.</summary>
internal static class PhaseSection
{
    private static readonly Column[] Columns = [Column.Words("Phase"), .. Column.Latency, Column.Words("0 to the scenario's maximum")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.Phases.Count > 0);

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph("Phases overlap and do not add up to the whole operation.");
        Explain(html, run);
        html.Open("p", ("class", "legend quiet"));
        html.Element("span", "to the median", ("class", "key p50")).Text("\n").Element("span", "to p95", ("class", "key p95")).Text("\n")
            .Element("span", "to the maximum", ("class", "key max")).Close("p");
        html.OpenTable("Latency of each phase", Columns);
        foreach (var scenario in run.Scenarios.Where(scenario => scenario.Phases.Count > 0))
        {
            var scale = scenario.Phases.Values.Append(scenario.Latency).Max(latency => latency.MaxMs ?? 0);
            html.GroupRow(Columns.Length, scenario.Name, $"scale 0 – {Figures.Ms(scale)} ms");
            Row(html, "whole operation", scenario.Latency, scale, "whole");
            foreach (var (phase, latency) in scenario.Phases)
            {
                Row(html, phase, latency, scale, "part");
            }
        }

        html.CloseTable();
    }

    private static void Explain(HtmlWriter html, RunResult run)
    {
        if (run.Scenarios.Any(scenario => scenario.Phases.Keys.Any(phase => phase.StartsWith("signalTo", StringComparison.Ordinal))))
        {
            html.Paragraph(
                "Each signalTo… phase begins just before the publish call leaves, so it contains signalPublish. signalToFirstCompletion is the " +
                "system alone, per operation, until the first line of the consumer's callback; signalToCompletion ends when the whole wave is " +
                "idle; drainToIdle is the time from the last completion until then, one sample a wave.");
        }
    }

    private static void Row(HtmlWriter html, string name, LatencyResult latency, double scaleMs, string style)
    {
        html.Open("tr", ("class", style)).RowHeader(name);
        LatencyCells.Write(html, latency);
        PercentileStrip.Write(html, latency, scaleMs);
        html.Close("tr");
    }
}
