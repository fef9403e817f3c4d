using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>What lies below the system, and how near the results come to it.</summary>
internal static class CeilingSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Measured in the same run on the same machine. An operation that shares its commit with others can pass the commit " +
            "ceiling: above 100 % batching is at work.");
        html.OpenTable(
            "Ceilings",
            Column.Words("Profile"), new("fsync", "per s"), new("Commits, 1 client", "per s"), new("Commits, many", "per s"),
            new("Clients"), new("Round trip", "ms"), new("Empty HTTP", "per s"), new("Transport alone", "events/s"), new("Transport alone, one", "ms"));
        foreach (var (profile, ceilings) in run.CeilingsByProfile)
        {
            html.Open("tr").RowHeader(profile).Number(Figures.Rate(ceilings.FsyncPerSecond)).Number(Figures.Rate(ceilings.CommitsPerSecond));
            html.Number(Figures.Rate(ceilings.ConcurrentCommitsPerSecond)).Number(Figures.Count(ceilings.ConcurrentClients));
            html.Number(Figures.Ms(ceilings.RoundTripMs)).Number(Figures.Rate(ceilings.EmptyHttpPerSecond));
            html.Number(Figures.Rate(ceilings.TransportEventsPerSecond)).Number(Figures.Ms(ceilings.TransportMs)).Close("tr");
            foreach (var note in ceilings.Notes)
            {
                html.DetailRow(9, note, "note");
            }
        }

        html.CloseTable();
        var compared = run.Scenarios.Where(scenario => scenario.CeilingShares.Count > 0).ToList();
        if (compared.Count > 0)
        {
            Compare(html, compared);
        }
    }

    private static void Compare(HtmlWriter html, IReadOnlyList<ScenarioResult> scenarios)
    {
        var shown = CeilingShares.Columns(scenarios);
        html.OpenTable(
            "Throughput as a share of each ceiling",
            [Column.Words("Scenario"), new Column("Throughput", "ops/s"), .. shown.Select(share => new Column(share.Header))]);
        foreach (var scenario in scenarios)
        {
            html.Open("tr").RowHeader(scenario.Name).Number(Figures.Rate(scenario.ThroughputPerSecond));
            foreach (var (name, _) in shown)
            {
                html.Number(CeilingShares.Cell(scenario, name));
            }

            html.Close("tr");
        }

        html.CloseTable();
    }
}
