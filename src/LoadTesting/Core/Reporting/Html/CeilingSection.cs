using static LoadTesting.Core.Reporting.Tables.ReportColumn;
using static LoadTesting.Core.Reporting.Tables.ReportRow;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The ceilings of disk, database, HTTP server and transport, and the results as shares of them.</summary>
internal static class CeilingSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Measured in the same run on the same machine. An operation that shares its commit with "
                + "others can pass the commit " +
            "ceiling: above 100 % batching is at work.");
        HtmlDocument.Write(html, new ReportTable(
            "Ceilings by profile", null,
            [
                Text("Profile"), new("fsync", "per s"), new("Commits, 1 client", "per s"),
                new("Commits, many", "per s"),
                new("Clients"), new("Round trip", "ms"), new("Empty HTTP", "per s"), new("Transport alone", "events/s"),
                new("Transport alone, one", "ms"),
            ],
            [
                .. run.CeilingsByProfile.SelectMany(ceilings => ceilings.Value.Notes.Select(Detail)
                    .Prepend(Values([ceilings.Key, .. Figures.Ceilings(ceilings.Value)]))),
            ]));
        var compared = run.Scenarios.Where(scenario => scenario.CeilingShares.Count > 0).ToList();
        if (compared.Count > 0)
        {
            var shares = CeilingShares.Columns(compared);
            HtmlDocument.Write(html, new ReportTable(
                "Throughput as a share of each ceiling", null,
                [Text("Scenario"), new("Throughput", "ops/s"),
                    .. shares.Select(share => new ReportColumn(share.Header))],
                [
                    .. compared.Select(scenario => Values(
                        [
                            scenario.Name, Figures.Rate(scenario.ThroughputPerSecond),
                            .. shares.Select(share => CeilingShares.Cell(scenario, share.Name)),
                        ])),
                ]));
        }
    }
}
