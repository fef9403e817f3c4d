using LoadTesting.Core.Analysis.Findings;
using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>The run in Markdown, verdicts first: for a pull request or a job summary.</summary>
public static class SummaryMarkdown
{
    public static string Render(RunResult run)
    {
        run = run.InReadingOrder();
        var text = new StringBuilder();
        text.Append($"# Performance run {MarkdownText.Plain(run.RunId)}\n");
        Verdicts(text, run);
        Requests(text, run);
        Phases(text, run);
        OverTime(text, run);
        Findings(text, run);
        Capacity(text, run);
        Ledger(text, run);
        Validity(text, run);
        NotExercised(text, run);
        Environment(text, run);
        return text.ToString();
    }

    private static void Verdicts(StringBuilder text, RunResult run)
    {
        text.Append("\n## Verdicts\n\n");
        text.Append(run.Partial is { } partial ? $"**Partial**: {MarkdownText.Plain(partial)}.\n\n" : "");
        text.Append($"- {ScenarioCounts.Of(run)}.\n");
        foreach (var statement in Headline.Of(run))
        {
            text.Append($"- **{MarkdownText.Plain(statement.Profile)}**: {MarkdownText.Plain(statement.Text)}\n");
        }

        if (Headline.NoRanking(run) is { } noRanking)
        {
            text.Append($"- {MarkdownText.Plain(noRanking)}\n");
        }

        if (run.Scenarios.Count == 0)
        {
            text.Append(
                (run.Capacity.Count > 0 ? ReportText.OnlyCapacities : ReportText.NoScenario) + "\n");
            return;
        }

        text.Append('\n');
        Table(
            text,
            [
                Text("scenario"), Text("tier"), Text("hosting"), new("n"), new("throughput/s"), .. Latency[1..],
                Text("verdict"),
            ],
            run.Scenarios.Select(scenario => (IReadOnlyList<string>)
            [
                scenario.Name, scenario.Tier, Figures.Word(scenario.Hosting), Figures.Count(scenario.Latency.N),
                Figures.Rate(scenario.ThroughputPerSecond), .. Figures.Latency(scenario.Latency)[1..],
                Figures.Word(scenario.Verdict.Outcome),
            ]));
        Remarks(text, "\n", run.Scenarios, scenario => scenario.Verdict.Reasons);
    }

    private static void Requests(StringBuilder text, RunResult run)
    {
        var counted = run.Scenarios.Where(scenario => scenario.Requests is not null).ToList();
        if (counted.Count > 0)
        {
            text.Append($"\n## Requests\n\n{ReportText.Requests}\n\n");
            Table(text, RequestTable.Columns, counted.Select(RequestTable.Row));
        }
    }

    private static void Phases(StringBuilder text, RunResult run)
    {
        var scenarios = run.Scenarios.Where(scenario => scenario.Phases.Count > 0).ToList();
        if (scenarios.Count == 0)
        {
            return;
        }

        text.Append("\n## Phases\n\nPhases overlap and do not add up.\n\n");
        Table(
            text, [Text("scenario"), Text("phase"), .. Latency],
            scenarios.SelectMany(scenario => scenario.Phases.Select(phase => (IReadOnlyList<string>)
                [scenario.Name, phase.Key, .. Figures.Latency(phase.Value)])));
    }

    private static void OverTime(StringBuilder text, RunResult run) =>
        Remarks(text, "\n## Stalls, thresholds and errors\n\n", run.Scenarios, TimelineText.Remarks);

    private static void Findings(StringBuilder text, RunResult run)
    {
        var examined = FindingText.Examined(run);
        if (examined.Count == 0)
        {
            return;
        }

        text.Append($"\n## Findings\n\n{ReportText.Findings}\n\n");
        foreach (var note in SizingNote.Of(run))
        {
            text.Append($"- Sizing: {MarkdownText.Plain(note)}\n");
        }

        text.Append('\n');
        Table(
            text,
            [
                Text("scenario"), Text("answer"), Text("bottlenecks, share of the response time"), Text("ruled out"),
                Text("not examined"),
            ],
            examined.Select(scenario => (IReadOnlyList<string>)
            [
                scenario.Name, FindingText.Answer(scenario.Findings!),
                Listed(scenario.Findings!.Ranked.Select(finding =>
                    $"{finding.Rank}. {finding.Resource} {FindingText.ShareAndConfidence(finding)}"), "; "),
                Named(scenario.Findings, ResourceState.Exonerated), Named(scenario.Findings, ResourceState.NotExamined),
            ]));
        text.Append('\n')
            .AppendJoin('\n', FindingText.Unexamined(examined).Select(reason => $"- {MarkdownText.Plain(reason)}"))
            .Append('\n');
    }

    private static string Named(FindingsResult findings, ResourceState state) =>
        Listed(findings.Resources.Where(resource => resource.State == state).Select(resource => resource.Resource),
            ", ");

    private static string Listed(IEnumerable<string> words, string separator) =>
        string.Join(separator, words.DefaultIfEmpty("none"));

    private static void Capacity(StringBuilder text, RunResult run)
    {
        text.Append(run.Capacity.Count > 0 ? "\n## Capacity\n\n" : "");
        foreach (var capacity in run.Capacity)
        {
            text.Append($"- **{MarkdownText.Plain(capacity.Name)}**: {MarkdownText.Plain(capacity.SentenceWithViolations())}\n");
        }
    }

    private static void Ledger(StringBuilder text, RunResult run)
    {
        var kept = run.Scenarios.Where(scenario => scenario.Ledger is not null).ToList();
        if (kept.Count == 0)
        {
            return;
        }

        text.Append("\n## Ledger\n\n");
        var columns = LedgerColumns.Of(kept.Select(scenario => scenario.Ledger!));
        Table(
            text, [Text("scenario"), Text("balanced"), .. columns.Columns],
            kept.Select(scenario => (IReadOnlyList<string>)
                [scenario.Name, YesOrNo(scenario.Ledger!.Balanced), .. columns.Cells(scenario.Ledger)]));
        text.Append(columns.Hidden.Count > 0 ? $"\nZero throughout: {string.Join(", ", columns.Hidden)}.\n" : "");
        Remarks(text, "", kept, scenario => scenario.Ledger!.Violations());
    }

    private static void Validity(StringBuilder text, RunResult run)
    {
        var judged = run.Scenarios.Where(scenario => scenario.Validity is not null).ToList();
        if (judged.Count == 0)
        {
            return;
        }

        text.Append("\n## Validity\n\n");
        Table(
            text,
            [
                Text("scenario"), Text("valid"), new("checks passed"), new("in flight, service"),
                new("in flight, client"),
                new("apart"), new("warm-up"), new("vetoes"),
            ],
            judged.Select(scenario => (IReadOnlyList<string>)
                [scenario.Name, YesOrNo(scenario.Validity!.Valid), .. ValidityText.Cells(scenario.Validity)]));
        Remarks(text, "\n", judged, scenario =>
        [
            .. ValidityText.FailedChecks(scenario.Validity!), .. scenario.Validity!.Vetoes,
            .. (scenario.Validity.Leaks ?? []).Select(ValidityText.Sentence),
        ]);
    }

    private static void NotExercised(StringBuilder text, RunResult run)
    {
        text.Append("\n## Not exercised\n\n");
        if (run.NotExercised.Count == 0)
        {
            text.Append($"{ReportText.EverythingRan}\n");
            return;
        }

        Table(
            text, [Text("profile"), Text("reason"), Text("command that enables it")],
            run.NotExercised.Select(entry => (IReadOnlyList<string>)
                [entry.Profile, entry.Reason, entry.Command ?? ReportText.NotPossibleHere]));
    }

    private static void Environment(StringBuilder text, RunResult run)
    {
        text.Append("\n## Environment\n\n");
        Table(
            text, [Text("what"), Text("value")],
            EnvironmentFacts.Of(run).Select(fact => (IReadOnlyList<string>)[fact.Name, fact.Value]));
        foreach (var (profile, backend) in run.Environment.Backends)
        {
            var settings = backend.Settings.Count == 0
                ? ""
                : "; " + string.Join(", ", backend.Settings.Select(setting => $"{setting.Key} = {setting.Value}"));
            text.Append($"\nBackend of {MarkdownText.Plain(profile)}: {MarkdownText.Plain(Headline.BackendOf(run, profile) + settings)}\n");
        }
    }

    private static string YesOrNo(bool value) => value ? "yes" : MarkdownDocument.No;

    /// <summary>An entry of a list for each remark on a scenario.</summary>
    /// <param name="above">Written before the first entry.</param>
    private static void Remarks(
        StringBuilder text, string above, IEnumerable<ScenarioResult> scenarios,
        Func<ScenarioResult, IEnumerable<string>> of)
    {
        var remarks = scenarios.SelectMany(scenario => of(scenario).Select(remark =>
            $"- {MarkdownText.Plain(scenario.Name)}: {MarkdownText.Plain(remark)}\n")).ToList();
        text.Append(remarks.Count > 0 ? above : "").AppendJoin("", remarks);
    }

    private static void Table(
        StringBuilder text, IReadOnlyList<ReportColumn> columns, IEnumerable<IReadOnlyList<string>> rows) =>
        MarkdownDocument.Append(text, ReportTable.Untitled(columns, rows.Select(cells => ReportRow.Values(cells))));
}
