using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The table of verdicts and figures, by profile, with the reasons below each row that has some.</summary>
internal static class ScenarioSection
{
    private static readonly ReportColumn[] Columns =
    [
        Text("Scenario"), Text("Verdict"), Text("Hosting"), new("Conc."), new("Throughput", "ops/s"),
        .. Latency,
    ];

    public static void Write(HtmlWriter html, RunResult run)
    {
        var places = run.Scenarios.Select((scenario, index) => (scenario, index))
            .ToDictionary(object (place) => place.scenario, place => place.index, ReferenceEqualityComparer.Instance);
        html.OpenTable("Verdict, throughput and latency of whole operations", Columns);
        foreach (var profile in run.Scenarios.GroupBy(scenario => scenario.Profile))
        {
            html.GroupRow(Columns.Length, profile.Key, Headline.BackendOf(run, profile.Key));
            foreach (var scenario in profile)
            {
                Row(html, scenario, ScenarioDetailSection.Id(places[scenario]));
            }
        }

        html.CloseTable();
        html.Paragraph("Below 100 samples p99 is the maximum or nearly so: read n first.", "quiet");
        ExplainBatches(html, run.Scenarios);
        Details(html, run);
    }

    /// <summary>
    /// The latency of a batch is mostly waiting for its other operations; the text names the figure to read instead.
    /// </summary>
    public static void ExplainBatches(HtmlWriter html, IEnumerable<ScenarioResult> scenarios)
    {
        // The remark is the scenario's own; only it knows.
        var batches = scenarios.Where(
            scenario => scenario.Notes.Any(note => note.StartsWith("A batch:", StringComparison.Ordinal)))
            .Select(scenario => scenario.NameWithoutProfile()).Distinct().ToList();
        if (batches.Count > 0)
        {
            html.Paragraph(
                $"Of batches ({string.Join(", ", batches)}) read the throughput: "
                    + "their latency is mostly the wait for the rest of the "
                + "batch.");
        }
    }

    private static void Row(HtmlWriter html, ScenarioResult scenario, string detail)
    {
        html.Open("tr").Open("th", ("scope", "row")).Element("a", scenario.NameWithoutProfile(), ("href", "#" + detail))
            .Close("th");
        html.Open("td").Verdict(scenario.Verdict.Outcome).Close("td");
        html.Element("td", Figures.Word(scenario.Hosting), ("class", "line"))
            .Number(Figures.Count(scenario.Concurrency))
            .Number(Figures.Rate(scenario.ThroughputPerSecond));
        html.Numbers(Figures.Latency(scenario.Latency));
        html.Close("tr");
        foreach (var reason in scenario.Verdict.Reasons)
        {
            html.DetailRow(Columns.Length, reason, Badges.StyleOf(scenario.Verdict.Outcome));
        }
    }

    private static void Details(HtmlWriter html, RunResult run)
    {
        html.Open("details").Element("summary", "Load model, tier, duration and remarks of each scenario");
        html.OpenTable(
            "How each scenario was run",
            Text("Scenario"), Text("Tier"), Text("Load model"), Text("Engine"),
            new("Operations"), new("Workers"), new("Lanes"), new("Duration", "ms"), Text("Remarks"));
        foreach (var scenario in run.Scenarios)
        {
            html.Open("tr").RowHeader(scenario.Name).Cell(scenario.Tier).Cell(scenario.LoadModel)
                .Cell(scenario.LoadEngine);
            html.Number(Figures.Count(scenario.Operations)).Number(Figures.Count(scenario.SignalWorkers))
                .Number(Figures.Count(scenario.Lanes));
            html.Number(Figures.Ms(scenario.DurationMs)).Cell(string.Join(" ", scenario.Notes)).Close("tr");
        }

        html.CloseTable().Close("details");
    }
}
