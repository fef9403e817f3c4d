using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// All kept runs on one page: verdicts and reports, then trends and change points. No script, nothing from elsewhere.
/// </summary>
internal static class IndexHtml
{
    private const int MaxNamed = 6;

    private static readonly ReportColumn[] Columns =
    [
        Text("Run"), Text("Verdict"), Text("Commit"), new("Passed"), new("Failed"), new("Inconclusive"),
        Text("Tiers"), Text("Profiles"), Text("Machine"),
    ];

    /// <param name="runs">The newest first.</param>
    /// <param name="older">How many more there are.</param>
    /// <param name="history">How the runs developed; null where none holds a result.</param>
    public static string Render(IReadOnlyList<IndexedRun> runs, int older, RunHistory? history)
    {
        const string title = "Performance runs";
        var html = new HtmlWriter().OpenPage(title, TrendStyle.Sheet);
        html.Open("header").Element("h1", title).Open("ul", ("class", "headlines"));
        Newest(html, runs.Select(run => run.Run).OfType<RunResult>().FirstOrDefault());
        if (history is not null)
        {
            TrendHtml.Statements(html, history);
        }

        html.Close("ul").Close("header");
        html.Contents([("runs", "Runs"), .. history is null ? [] : TrendHtml.Sections(history)]);
        html.OpenSection("runs", "Runs");
        html.OpenTable("Runs, the newest first", Columns);
        foreach (var run in runs)
        {
            Row(html, run);
        }

        html.CloseTable();
        if (older > 0)
        {
            html.Paragraph(
                ReportText.OlderRuns(older), "quiet");
        }

        html.CloseSection();
        if (history is not null)
        {
            TrendHtml.Write(html, history);
        }

        return html.ClosePage().ToString();
    }

    private static void Newest(HtmlWriter html, RunResult? newest)
    {
        if (newest is null)
        {
            html.Element("li", ReportText.NoReadableRun);
            return;
        }

        var outcome = RunVerdicts.Worst(newest);
        html.Open("li", ("class", outcome is { } known ? Badges.StyleOf(known) : ""))
            .Element("strong", $"Newest, {newest.RunId}:")
            .Text($" {ScenarioCounts.Of(newest).PassedOfAll()}"
                + Named(newest, VerdictOutcome.Failed) + Named(newest, VerdictOutcome.Inconclusive) + ".")
            .Close("li");
    }

    private static string Named(RunResult run, VerdictOutcome outcome)
    {
        var names =
            RunVerdicts.Of(run).Where(verdict => verdict.Outcome == outcome).Select(verdict => verdict.Name).ToList();
        return names.Count == 0 ? ""
            : $"; {Figures.Word(outcome)}: {string.Join(", ", names.Take(MaxNamed))}{(names.Count > MaxNamed ? " and more" : "")}";
    }

    private static void Row(HtmlWriter html, IndexedRun indexed)
    {
        html.Open("tr").Open("th", ("scope", "row"));
        _ = indexed.HasReport
            ? html.Element("a", indexed.Directory, ("href", Uri.EscapeDataString(indexed.Directory) + "/report.html"))
            : html.Text(indexed.Directory);
        html.Close("th");
        if (indexed.Run is not { } run)
        {
            html.Element("td", indexed.Problem!,
                ("colspan", (Columns.Length - 1).ToString(CultureInfo.InvariantCulture))).Close("tr");
            return;
        }

        html.Open("td");
        _ = RunVerdicts.Worst(run) is { } outcome ? html.Verdict(outcome) : html.Text("no scenario");
        html.Text(run.Partial is null ? "" : " partial").Close("td");
        html.Element("td", RunHistory.Commit(run) + (run.Dirty == true ? ", changed" : ""), ("class", "line"));
        var counts = ScenarioCounts.Of(run);
        html.Number(Figures.Count(counts.Passed)).Number(Figures.Count(counts.Failed))
            .Number(Figures.Count(counts.Inconclusive));
        html.Cell(Distinct(run, scenario => scenario.Tier)).Cell(Distinct(run, scenario => scenario.Profile));
        html.Cell(run.Environment.MachineClass ?? "not recorded").Close("tr");
    }

    private static string Distinct(RunResult run, Func<ScenarioResult, string> value) =>
        string.Join(", ", run.Scenarios.Select(value).Distinct().Order(StringComparer.Ordinal));
}
