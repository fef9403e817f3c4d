namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The run as one page: no resource from elsewhere, light and dark, readable without script, on a telephone and on
/// paper.
/// </summary>
public static class HtmlReport
{
    private static readonly (string Id, string Title, Action<HtmlWriter, ReportInput> Write,
        Func<ReportInput, bool> Applies)[] Sections =
    [
        ("baseline", "Against the baseline", BaselineSection.Write,
            input => input.Rows.Any(row => row.Reference is not null)),
        Of("scenarios", "Scenarios", ScenarioSection.Write, run => run.Scenarios.Count > 0),
        Of("findings", "Where the time goes", FindingSection.Write, FindingSection.Applies),
        Of("thresholds", "Thresholds and errors", ThresholdSection.Write, ThresholdSection.Applies),
        Of("capacity", "Capacity", CapacitySection.Write, CapacitySection.Applies),
        ("details", "Scenario by scenario", ScenarioDetailSection.Write, input => input.Run.Scenarios.Count > 0),
        Of("server", "Server split", ServerSplitSection.Write, ServerSplitSection.Applies),
        Of("ledger", "Ledger", LedgerSection.Write, run => run.Scenarios.Count > 0),
        Of("validity", "Validity", ValiditySection.Write, ValiditySection.Applies),
        Of("backend", "Backend", BackendSection.Write, BackendSection.Applies),
        Of("ceilings", "Ceilings", CeilingSection.Write, run => run.CeilingsByProfile.Count > 0),
        Of("generator", "Generator", GeneratorSection.Write, run => run.Scenarios.Count > 0),
        Of("environment", "Environment", EnvironmentSection.Write, _ => true),
        Of("not-exercised", "Not exercised", NotExercisedSection.Write, _ => true),
        Of("reading", "How to read this", ReadingSection.Write, _ => true),
    ];

    /// <param name="run">What to show.</param>
    /// <param name="baselines">Accepted baselines to set it beside, the newest last; none where there are none.</param>
    public static string Render(RunResult run, IReadOnlyList<RunResult>? baselines = null)
    {
        run = run.InReadingOrder();
        var input = new ReportInput(run, BaselineRow.Of(run, baselines ?? []));
        var html = new HtmlWriter();
        html.OpenPage($"{Title(run)} · {run.RunId}");
        HeadlineSection.Write(html, input, Title(run));
        var sections = Sections.Where(section => section.Applies(input)).ToList();
        html.Contents(sections.Select(section => (section.Id, section.Title)));
        foreach (var section in sections)
        {
            html.OpenSection(section.Id, section.Title);
            section.Write(html, input);
            html.CloseSection();
        }

        html.ClosePageWithScript();
        return html.ToString();
    }

    private static (string Id, string Title, Action<HtmlWriter, ReportInput> Write, Func<ReportInput, bool> Applies) Of(
        string id, string title, Action<HtmlWriter, RunResult> write, Func<RunResult, bool> applies) =>
        (id, title, (html, input) => write(html, input.Run), input => applies(input.Run));

    private static string Title(RunResult run)
    {
        var worst = RunVerdicts.Worst(run);
        var what = run.Scenarios.Count > 0 ? "Performance run" : "Search for the capacity";
        return run.Partial is not null && worst != VerdictOutcome.Failed
            ? "Performance run interrupted: partial results"
            : worst is { } outcome ? $"{what} {Figures.Word(outcome)}"
            : run.Capacity.Count > 0 ? what
            : "No scenario has finished";
    }
}

/// <summary>A glossary for first-time readers.</summary>
internal static class ReadingSection
{
    private static readonly (string Word, string Meaning)[] Terms =
    [
        ("passed, failed, inconclusive",
            "Failed: something is wrong, or a limit was missed. Inconclusive: the measurement says nothing "
            + "about the system, mostly because the generator was the limit; it is neither good nor bad news."),
        ("partial",
            "Somebody ended the run before its time: what it had by then is kept, is no baseline, and passes no gate."),
        ("n", "How many operations a figure rests on. With 12 samples p95 is the largest or second "
            + "largest of twelve: an anecdote, "
            + "not a percentile."),
        ("p50, p95, p99",
            "Half, 95 % and 99 % of the operations were at least this fast. "
                + "The average hides the slow ones; the maximum is "
            + "one operation."),
        ("throughput", "Completed operations divided by the real time of the measured part."),
        ("open, closed",
            "Open: operations start on a schedule, and latency counts from the intended "
                + "start, so a stall shows in full. " +
            "Closed: the next starts when one ends, so a stall slows the load too and hides most of itself."),
        ("durability",
            "What a commit survives. Figures of backends of unlike durability stand side by side but are not ranked."),
        ("schedule lag", "From the intended to the actual start of an operation: the generator's own lateness."),
        ("stall",
            "Work was in flight and nothing completed for the longer of 250 ms and ten medians. "
                + "Its cause is the system where "
            + "nothing that was seen of generator and machine explains it."),
        ("pool delay",
            "How long a work item waited for a thread of the generator's process: "
                + "what every continuation of a load waits too."),
        ("ceiling",
            "What the disk, the database or the HTTP server does by itself on this machine. "
                + "A share of it carries over to other "
            + "machines better than a time."),
        ("–", "Not measured, or not applicable; run.json says why."),
    ];

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Open("dl");
        foreach (var (word, meaning) in Terms)
        {
            html.Element("dt", word).Element("dd", meaning);
        }

        html.Close("dl");
        html.Paragraph(
            $"Schema {run.SchemaVersion}. The figures of this page, the histograms and the raw counters are in run.json beside it.",
            "quiet");
    }
}
