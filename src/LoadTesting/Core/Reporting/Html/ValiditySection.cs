namespace LoadTesting.Core.Reporting.Html;

/// <summary>Whether each result may be believed, how quiet the machine was, and what leaked.</summary>
internal static class ValiditySection
{
    private static readonly Column[] Columns =
    [
        Column.Words("Scenario"), Column.Words("Validity"), new("Checks", "passed of made"), new("In flight", "by the service"),
        new("In flight", "by the client"),
        new("Apart"), new("Warm-up", "share of n"), new("Vetoes"),
    ];

    private static readonly Column[] LeakColumns =
    [
        Column.Words("Resource"), Column.Words("Leak"), new("Start"), new("Growth"), new("99 % from"), new("to"), new("Allowed"),
        new("Over", "s"),
    ];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario.Validity is not null);

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "A failed check makes a result invalid, which is another thing than slow. A veto says that the machine was not quiet: the "
            + "result stands, but is no baseline and no half of a pair. Where service and client count what was in flight apart from each "
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
        var law = validity.LittlesLaw;
        html.Open("tr").RowHeader(name).Open("td").Badge(validity.Valid ? "valid" : "invalid", validity.Valid ? "good" : "bad").Close("td");
        html.Number(ValidityWords.Passed(validity));
        html.Number(Figures.Counter(law?.ServiceInFlight)).Number(Figures.Counter(law?.ClientInFlight))
            .Number(Figures.Percent(law?.RelativeError));
        html.Number(ValidityWords.WarmUp(validity.WarmUp)).Number(Figures.Count(validity.Vetoes.Count)).Close("tr");
        foreach (var failed in validity.Checks.Where(check => check.Outcome == CheckOutcome.Failed))
        {
            html.DetailRow(Columns.Length, $"{failed.Name}: {failed.Reason}", "bad");
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
                html.Open("tr").RowHeader(ValidityWords.Resource(leak)).Open("td")
                    .Badge(leak.Leaks ? "grows" : "none", leak.Leaks ? "bad" : "good").Close("td");
                foreach (var value in (double[])[leak.Start, leak.Growth, leak.GrowthLow, leak.GrowthHigh, leak.Limit])
                {
                    html.Number(ValidityWords.Amount(leak, value));
                }

                html.Number(Figures.Count((long)leak.SpanSeconds)).Close("tr");
            }
        }

        html.CloseTable();
    }

    private static void Details(HtmlWriter html, IEnumerable<ScenarioResult> judged)
    {
        Column[] columns = [Column.Words("Check"), Column.Words("Outcome"), Column.Words("Finding")];
        html.Open("details").Element("summary", "Every check of each scenario, with what it found or why it was not made");
        html.OpenTable("Checks and disturbances", columns);
        foreach (var scenario in judged)
        {
            html.GroupRow(columns.Length, scenario.Name);
            foreach (var check in scenario.Validity!.Checks.Concat(scenario.Validity.Environment))
            {
                html.Open("tr").RowHeader(check.Name).Cell(ValidityWords.Outcome(check.Outcome)).Cell(check.Reason).Close("tr");
            }
        }

        html.CloseTable().Close("details");
    }
}
