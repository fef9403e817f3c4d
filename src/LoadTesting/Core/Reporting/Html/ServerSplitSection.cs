using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Where the server itself says the time went.</summary>
internal static class ServerSplitSection
{
    private static readonly Column[] Columns = [Column.Words("Part"), .. Column.Latency, Column.Words("One after the other, on average")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.ServerSplit is { Count: > 0 });

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "From the timestamps the server puts on its events: waiting in its queue, executing, committing, handing the event over, and its way to the consumer. " +
            "These parts follow one another. They are given only where server and consumer share a clock.");
        html.OpenTable("Server time by part", Columns);
        foreach (var scenario in run.Scenarios)
        {
            if (scenario.ServerSplit is not { Count: > 0 } split)
            {
                continue;
            }

            var whole = split.Values.Sum(latency => latency.AverageMs ?? 0);
            var before = 0.0;
            html.GroupRow(Columns.Length, scenario.Name, $"{Figures.Ms(whole)} ms on average");
            foreach (var (part, latency) in split)
            {
                html.Open("tr").RowHeader(part);
                LatencyCells.Write(html, latency);
                WaterfallStrip.Write(html, before, latency.AverageMs ?? 0, whole);
                html.Close("tr");
                before += latency.AverageMs ?? 0;
            }
        }

        html.CloseTable();
    }
}
