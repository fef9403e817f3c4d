using LoadTesting.Core.Analysis.Findings;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>The run in Markdown, verdicts first: for a pull request or a job summary.</summary>
public static class SummaryMarkdown
{
    private static readonly string[] LatencyColumns = ["n", "avg ms", "p50 ms", "p95 ms", "p99 ms", "max ms"];

    public static string Render(RunResult run)
    {
        ArgumentNullException.ThrowIfNull(run);
        run = run.InReadingOrder();
        var text = new StringBuilder();
        text.Append($"# Performance run {Plain(run.RunId)}\n");
        Verdicts(text, run);
        Requests(text, run);
        Phases(text, run);
        OverTime(text, run);
        FindingMarkdown.Append(text, run);
        Capacity(text, run);
        Ledger(text, run);
        ValidityMarkdown.Append(text, run);
        NotExercised(text, run);
        Environment(text, run);
        return text.ToString();
    }

    private static void Verdicts(StringBuilder text, RunResult run)
    {
        text.Append("\n## Verdicts\n\n");
        text.Append(run.Partial is { } partial ? $"**Partial**: {Plain(partial)}.\n\n" : "");
        foreach (var statement in Headline.Of(run))
        {
            text.Append($"- **{Plain(statement.Profile)}**: {Plain(statement.Text)}\n");
        }

        if (Headline.NoRanking(run) is { } noRanking)
        {
            text.Append($"- {Plain(noRanking)}\n");
        }

        if (run.Scenarios.Count == 0)
        {
            text.Append(run.Capacity.Count > 0 ? "Only capacities were searched for.\n" : "No scenario has finished.\n");
            return;
        }

        text.Append('\n');
        Header(text, textColumns: 3, ["scenario", "tier", "hosting", "n", "throughput/s", .. LatencyColumns[1..], "verdict"]);
        foreach (var scenario in run.Scenarios)
        {
            var latency = Figures.Latency(scenario.Latency);
            Row(text, [scenario.Name, scenario.Tier, Figures.Word(scenario.Hosting), latency[0], Figures.Rate(scenario.ThroughputPerSecond),
                .. latency[1..], Figures.Word(scenario.Verdict.Outcome)]);
        }

        var reasons = run.Scenarios.SelectMany(scenario =>
            scenario.Verdict.Reasons.Select(reason => (scenario.Name, Reason: reason))).ToList();
        text.Append(reasons.Count > 0 ? "\n" : "");
        foreach (var (name, reason) in reasons)
        {
            text.Append($"- {Plain(name)}: {Plain(reason)}\n");
        }
    }

    private static void Requests(StringBuilder text, RunResult run)
    {
        var counted = run.Scenarios.Where(scenario => scenario.Requests is not null).ToList();
        if (counted.Count > 0)
        {
            text.Append("\n## Requests\n\nTimes are of single requests. RPS of a load that rises first is of the time after that. "
                + "Peaks are shares of all processors of the machine, in one point of the timeline. Bytes are those of heads and bodies, "
                + "before encryption.\n\n");
            Header(text, RequestTable.TextColumns, RequestTable.Columns);
            counted.ForEach(scenario => Row(text, RequestTable.Row(scenario)));
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
        Header(text, textColumns: 2, ["scenario", "phase", .. LatencyColumns]);
        foreach (var scenario in scenarios)
        {
            foreach (var (phase, latency) in scenario.Phases)
            {
                Row(text, [scenario.Name, phase, .. Figures.Latency(latency)]);
            }
        }
    }

    private static void OverTime(StringBuilder text, RunResult run)
    {
        var remarks = run.Scenarios
            .SelectMany(scenario => TimelineWords.Remarks(scenario).Select(remark => (scenario.Name, remark))).ToList();
        text.Append(remarks.Count > 0 ? "\n## Stalls, thresholds and errors\n\n" : "");
        foreach (var (name, remark) in remarks)
        {
            text.Append($"- {Plain(name)}: {Plain(remark)}\n");
        }
    }

    private static void Capacity(StringBuilder text, RunResult run)
    {
        text.Append(run.Capacity.Count > 0 ? "\n## Capacity\n\n" : "");
        foreach (var capacity in run.Capacity)
        {
            text.Append($"- **{Plain(capacity.Name)}**: {Plain(CapacityWords.Of(capacity))}\n");
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
        Header(text, textColumns: 2, ["scenario", "balanced", .. columns.Shown]);
        foreach (var scenario in kept)
        {
            var counts = scenario.Ledger!.Counts().ToDictionary();
            Row(text,
            [
                scenario.Name, scenario.Ledger!.Balanced ? "yes" : "**no**", .. columns.Shown.Select(name => Figures.Count(counts[name])),
            ]);
        }

        text.Append(columns.Hidden.Count > 0 ? $"\nZero throughout: {string.Join(", ", columns.Hidden)}.\n" : "");
        foreach (var scenario in kept)
        {
            foreach (var violation in scenario.Ledger!.Violations())
            {
                text.Append($"- {Plain(scenario.Name)}: {violation}\n");
            }
        }
    }

    private static void NotExercised(StringBuilder text, RunResult run)
    {
        text.Append("\n## Not exercised\n\n");
        if (run.NotExercised.Count == 0)
        {
            text.Append("Everything that was asked for was run.\n");
            return;
        }

        Header(text, textColumns: 3, ["profile", "reason", "command that enables it"]);
        foreach (var entry in run.NotExercised)
        {
            Row(text, [entry.Profile, entry.Reason, entry.Command ?? "none on this machine"]);
        }
    }

    private static void Environment(StringBuilder text, RunResult run)
    {
        text.Append("\n## Environment\n\n");
        Header(text, textColumns: 2, ["what", "value"]);
        foreach (var (name, value) in EnvironmentFacts.Of(run))
        {
            Row(text, [name, value]);
        }

        foreach (var (profile, backend) in run.Environment.Backends)
        {
            var settings = backend.Settings.Count == 0
                ? ""
                : "; " + string.Join(", ", backend.Settings.Select(setting => $"{setting.Key} = {setting.Value}"));
            text.Append($"\nBackend of {Plain(profile)}: {Plain(Headline.BackendOf(run, profile) + settings)}\n");
        }
    }

    private static void Header(StringBuilder text, int textColumns, IReadOnlyList<string> columns)
    {
        Row(text, columns);
        text.Append('|');
        for (var column = 0; column < columns.Count; column++)
        {
            text.Append(column < textColumns || columns[column] == "verdict" ? "---|" : "---:|");
        }

        text.Append('\n');
    }

    // Bold is the one piece of markup that cells carry on purpose.
    private static void Row(StringBuilder text, IEnumerable<string> cells) =>
        text.Append("| ").AppendJoin(" | ", cells.Select(cell => cell == "**no**" ? cell : Plain(cell))).Append(" |\n");

    /// <summary>Text that Markdown shows as it stands.</summary>
    internal static string Plain(string value)
    {
        var plain = new StringBuilder(value.Length);
        for (var index = 0; index < value.Length; index++)
        {
            var c = value[index];
            plain.Append(c switch
            {
                '_' => IsInsideWord(value, index) ? "_" : "\\_",
                '<' => "&lt;",
                '&' => "&amp;",
                '\r' or '\n' or '\t' => " ",
                '|' or '\\' or '`' or '*' or '[' or ']' => "\\" + c,
                _ => c.ToString(),
            });
        }

        return plain.ToString();
    }

    // Between letters or digits an underscore is only itself, and setting names stay readable in the raw text.
    private static bool IsInsideWord(string value, int index) =>
        index > 0 && index + 1 < value.Length && char.IsLetterOrDigit(value[index - 1]) && char.IsLetterOrDigit(value[index + 1]);
}

/// <summary>Validity in a summary: a row a scenario, and below it what failed, what disturbed and what grew.</summary>
internal static class ValidityMarkdown
{
    public static void Append(StringBuilder text, RunResult run)
    {
        var judged = run.Scenarios.Where(scenario => scenario.Validity is not null).ToList();
        if (judged.Count == 0)
        {
            return;
        }

        text.Append(
            "\n## Validity\n\n| scenario | valid | checks passed | in flight, service | in flight, client | apart | warm-up | vetoes |\n");
        text.Append("|---|---|---:|---:|---:|---:|---:|---:|\n");
        foreach (var scenario in judged)
        {
            var validity = scenario.Validity!;
            var law = validity.LittlesLaw;
            string[] figures =
            [
                ValidityWords.Passed(validity), Figures.Counter(law?.ServiceInFlight), Figures.Counter(law?.ClientInFlight),
                Figures.Percent(law?.RelativeError),
                ValidityWords.WarmUp(validity.WarmUp), Figures.Count(validity.Vetoes.Count),
            ];
            text.Append($"| {SummaryMarkdown.Plain(scenario.Name)} | {(validity.Valid ? "yes" : "**no**")} | ").AppendJoin(" | ", figures)
                .Append(" |\n");
        }

        var remarks = judged.SelectMany(scenario =>
            Remarks(scenario.Validity!).Select(remark => $"- {SummaryMarkdown.Plain($"{scenario.Name}: {remark}")}\n")).ToList();
        text.Append(remarks.Count > 0 ? "\n" : "").AppendJoin("", remarks);
    }

    private static IEnumerable<string> Remarks(ValidityResult validity) =>
    [
        .. validity.Checks.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => $"{check.Name}: {check.Reason}"),
        .. validity.Vetoes,
        .. (validity.Leaks ?? []).Select(leak =>
            $"{ValidityWords.Resource(leak)}: {ValidityWords.Amount(leak, leak.Start)}, growth {ValidityWords.Amount(leak, leak.Growth)} " +
            $"(99 %: {ValidityWords.Amount(leak, leak.GrowthLow)} to {ValidityWords.Amount(leak, leak.GrowthHigh)}), allowed "
            + $"{ValidityWords.Amount(leak, leak.Limit)}"),
    ];
}

/// <summary>Findings in a summary: the sizing note, and a row a scenario.</summary>
internal static class FindingMarkdown
{
    public static void Append(StringBuilder text, RunResult run)
    {
        var examined = FindingWords.Examined(run);
        if (examined.Count == 0)
        {
            return;
        }

        text.Append($"\n## Findings\n\n{FindingWords.Introduction}\n\n");
        foreach (var note in SizingNote.Of(run))
        {
            text.Append($"- Sizing: {SummaryMarkdown.Plain(note)}\n");
        }

        text.Append(
            "\n| scenario | response ms | guilty, share of the response time | exonerated | not examined |\n|---|---:|---|---|---|\n");
        foreach (var scenario in examined)
        {
            var findings = scenario.Findings!;
            var guilty = findings.Ranked.Select(f =>
                $"{f.Rank}. {f.Resource} {Figures.Percent(f.ShareOfResponseTime)}, {FindingWords.Word(f.Confidence)} confidence");
            string[] cells =
            [
                scenario.Name, Figures.Ms(1000 * findings.ResponseSeconds), Listed(guilty, "; "), Named(findings, ResourceState.Exonerated),
                Named(findings, ResourceState.NotExamined),
            ];
            text.Append("| ").AppendJoin(" | ", cells.Select(SummaryMarkdown.Plain)).Append(" |\n");
        }

        text.Append('\n').AppendJoin('\n', FindingWords.Unexamined(examined).Select(reason => $"- {SummaryMarkdown.Plain(reason)}"))
            .Append('\n');
    }

    private static string Named(FindingsResult findings, ResourceState state) =>
        Listed(findings.Resources.Where(resource => resource.State == state).Select(resource => resource.Resource), ", ");

    private static string Listed(IEnumerable<string> words, string separator) => string.Join(separator, words.DefaultIfEmpty("none"));
}
