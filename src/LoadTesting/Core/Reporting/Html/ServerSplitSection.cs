using LoadTesting.Core.Baselines;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Where the server itself says the time went.</summary>
internal static class ServerSplitSection
{
    private static readonly Column[] Columns = [Column.Words("Part"), .. Column.Latency, Column.Words("0 to the scenario's maximum")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.ServerSplit is { Count: > 0 });

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "From the timestamps the server puts on its events: waiting in its queue, executing, committing, and delivering the event. " +
            "These parts follow one another. They are given only where server and consumer share a clock.");
        html.OpenTable("Server time by part", Columns);
        foreach (var scenario in run.Scenarios)
        {
            if (scenario.ServerSplit is not { Count: > 0 } split)
            {
                continue;
            }

            var scale = split.Values.Max(latency => latency.MaxMs ?? 0);
            html.GroupRow(Columns.Length, scenario.Name, $"scale 0 – {Figures.Ms(scale)} ms");
            foreach (var (part, latency) in split)
            {
                html.Open("tr").RowHeader(part);
                LatencyCells.Write(html, latency);
                PercentileStrip.Write(html, latency, scale);
                html.Close("tr");
            }
        }

        html.CloseTable();
    }
}
