using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Whether each result may be believed, how quiet the machine was, and what leaked.</summary>
internal static class ValiditySection
{
    private static readonly ReportColumn[] Columns =
    [
        Text("Scenario"), Text("Validity"), new("Checks", "passed of made"), new("In flight", "by the service"),
        new("In flight", "by the client"),
        new("Apart"), new("Warm-up", "share of n"), new("Vetoes"),
    ];

    private static readonly ReportColumn[] LeakColumns =
    [
        Text("Resource"), Text("Leak"), new("Start"), new("Growth"), new("99 % from"), new("to"), new("Allowed"),
        new("Over", "s"),
    ];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.Validity is not null);

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "A failed check makes a result invalid, which is another thing than slow. "
                + "A veto says that the machine was not quiet: the "
            + "result stands, but is no baseline and no half of a pair. Where service and client count what "
            + "was in flight apart from each "
            + "other, they may differ by 5 %.");
        html.OpenTable("Checks of each result", Columns);
        var judged = run.Scenarios.Where(scenario => scenario.Validity is not null).ToList();
        judged.ForEach(scenario => Row(html, scenario.Name, scenario.Validity!));
        html.CloseTable();
        Leaks(html, [.. judged.Where(scenario => scenario.Validity!.Leaks is not null)]);
        Details(html, judged);
    }

    private static void Row(HtmlWriter html, string name, ValidityResult validity)
    {
        html.Open("tr").RowHeader(name).Open("td")
            .Badge(validity.Valid ? "valid" : "invalid", validity.Valid ? "good" : "bad").Close("td");
        html.Numbers(ValidityText.Cells(validity)).Close("tr");
        foreach (var failed in ValidityText.FailedChecks(validity))
        {
            html.DetailRow(Columns.Length, failed, "bad");
        }

        foreach (var veto in validity.Vetoes)
        {
            html.DetailRow(Columns.Length, veto, "unsure");
        }
    }

    private static void Leaks(HtmlWriter html, IReadOnlyList<ScenarioResult> soaked)
    {
        if (soaked.Count == 0)
        {
            return;
        }

        html.OpenTable("Growth over a soak, by the slope of Theil and Sen", LeakColumns);
        foreach (var scenario in soaked)
        {
            html.GroupRow(LeakColumns.Length, scenario.Name);
            foreach (var leak in scenario.Validity!.Leaks!)
            {
                html.Open("tr").RowHeader(ValidityText.Resource(leak)).Open("td")
                    .Badge(leak.Leaks ? "grows" : "none", leak.Leaks ? "bad" : "good").Close("td");
                double[] amounts = [leak.Start, leak.Growth, leak.GrowthLow, leak.GrowthHigh, leak.Limit];
                html.Numbers(amounts.Select(amount => ValidityText.Amount(leak, amount)))
                    .Number(Figures.Count((long)leak.SpanSeconds)).Close("tr");
            }
        }

        html.CloseTable();
    }

    private static void Details(HtmlWriter html, IEnumerable<ScenarioResult> judged)
    {
        html.Open("details")
            .Element("summary", "Every check of each scenario, with what it found or why it was not made");
        HtmlDocument.Write(html, new ReportTable(
            "Checks and disturbances", null, [Text("Check"), Text("Outcome"), Text("Finding")],
            [
                .. judged.SelectMany(scenario => scenario.Validity!.Checks.Concat(scenario.Validity.Environment)
                    .Select(check => ReportRow.Values(check.Name, ValidityText.Outcome(check.Outcome), check.Reason))
                    .Prepend(ReportRow.Group(scenario.Name))),
            ]));
        html.Close("details");
    }
}
