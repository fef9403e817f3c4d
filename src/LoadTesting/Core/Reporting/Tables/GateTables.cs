using LoadTesting.Core.Analysis.Gating;
using static LoadTesting.Core.Reporting.Tables.ReportColumn;
using static LoadTesting.Core.Reporting.Tables.ReportRow;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a gate's decision, in reading order.</summary>
public static class GateTables
{
    /// <summary>Findings of the scenarios, and the pairs that were dropped.</summary>
    /// <param name="isVerbose">Whether metrics that were not gated have rows too.</param>
    public static IReadOnlyList<ReportTable> Of(GateResult result, bool isVerbose = false) =>
        ReportTable.Filled(Findings(result, isVerbose), Dropped(result));

    /// <summary>
    /// The reasons of the decision, in sentences: the verdict with how much it rests on, each finding that failed or
    /// was inconclusive, and what was not gated, a sentence for each reason.
    /// </summary>
    /// <param name="result">The decision.</param>
    /// <param name="report">Path of the report for scenarios without one; null if there is none.</param>
    /// <param name="isVerbose">Whether the tables hold what was not gated, so that the statements leave it out.</param>
    public static IReadOnlyList<string> Statements(GateResult result, string? report, bool isVerbose = false)
    {
        var failed = result.Scenarios.SelectMany(row => row.Findings
            .Where(finding =>
                finding.Verdict is GateVerdict.Regressed or GateVerdict.Suspect or GateVerdict.Inconclusive)
            .Select(finding => Statement(row, finding, row.Report ?? report)));
        var hindered = result.Scenarios.Where(row => row.Verdict != GateVerdict.NotGated)
            .SelectMany(row => row.Reasons.Select(reason => (row.Scenario, Reason: reason))).GroupBy(row => row.Reason)
            .Select(group => $"{string.Join(", ", group.Select(row => row.Scenario))}: {group.Key}");
        var verdict = $"{Title(result)}: {result.Candidate} against {result.Baseline}.";
        return [verdict, .. result.Reasons, .. hindered, .. failed, .. isVerbose ? [] : NotGated(result)];
    }

    /// <summary>The verdict, why it is inconclusive, and how many scenarios it rests on.</summary>
    public static string Title(GateResult result)
    {
        var cause = result.Cause switch
        {
            GateCause.Noise => " (noise)",
            GateCause.Unjudged => " (unjudged)",
            GateCause.Unlike => " (not comparable)",
            GateCause.MissingBase => " (no sound base)",
            _ => "",
        };
        return $"{result.Verdict}{cause}, gated {Quantity.Of(result.Gated, result.ScenarioCount, "scenario")}";
    }

    private static IEnumerable<string> NotGated(GateResult result)
    {
        var reasons =
            result.Scenarios.SelectMany(row => row.Findings.Where(finding => finding.Verdict == GateVerdict.NotGated)
                .Select(finding => (row.Scenario, finding.Metric, finding.Reason)))
            .Concat(result.Scenarios.Where(row => row.Verdict == GateVerdict.NotGated)
                .SelectMany(
                    row => row.Reasons
                        .Select(reason => (row.Scenario, Metric: "everything but correctness", Reason: reason))))
            .GroupBy(row => row.Reason).Select(group => (
                Reason: group.Key, Scenarios: group.Select(row => row.Scenario).Distinct().Count(),
                Metrics: string.Join(", ", group.Select(row => row.Metric).Distinct())))
            .OrderByDescending(group => group.Scenarios).ToList();
        foreach (var (reason, scenarios, metrics) in reasons)
        {
            yield return $"Not gated in {Quantity.Of(scenarios, "scenario")}: {metrics}. {reason}";
        }
    }

    private static string Statement(GateRow row, GateFinding finding, string? report) =>
        $"{finding.Verdict} {row.Scenario}, {finding.Metric}: measured {Value(finding, finding.Measured)}"
        + $"{Bracket(finding.MeasuredBracket)}, limit {Value(finding, finding.Limit)}, baseline "
        + $"{Value(finding, finding.Baseline)}{Bracket(finding.BaselineBracket)} {finding.Unit}; n "
        + $"{Figures.Count(finding.N)}{(finding.Pairs > 0 ? $", {finding.Pairs} pairs" : "")}. "
        + finding.Reason + (report is null ? "" : $" Report: {report}");

    private static ReportTable Findings(GateResult result, bool isVerbose) => new(
        "Gate",
        ReportText.Gate,
        [
            Text("Metric"), Text("Verdict"), new("Baseline"), new("Measured"), new("Limit"), Text("Unit"),
            new("Change"),
            new("From 99 %"), new("To 95 %"), new("Detectable"), new("n"), new("Pairs"),
        ],
        [.. result.Scenarios.Where(row => isVerbose || row.Verdict != GateVerdict.NotGated)
            .SelectMany(row => Rows(row, isVerbose))]);

    private static IEnumerable<ReportRow> Rows(GateRow row, bool isVerbose)
    {
        yield return Group($"{row.Scenario}: {row.Verdict}");
        var shown = row.Findings.Where(finding =>
            finding.Kind != GateMetricKind.Correctness || finding.Verdict == GateVerdict.Regressed
                || finding.Measured > 0).ToList();
        foreach (var finding in shown.Where(finding =>
            finding.Verdict != GateVerdict.NotGated || (isVerbose && finding.Kind == GateMetricKind.Time)))
        {
            yield return Values(
                finding.Metric, finding.Verdict.ToString(),
                Value(finding, finding.Baseline) + Bracket(finding.BaselineBracket),
                Value(finding, finding.Measured) + Bracket(finding.MeasuredBracket),
                Value(finding, finding.Limit),
                finding.Unit, Signed(finding.Change), Signed(finding.Lower99), Signed(finding.Upper95),
                Signed(finding.DetectableChange),
                Figures.Count(finding.N), finding.Pairs > 0 ? Figures.Count(finding.Pairs) : Figures.Absent);
        }

        var quiet = row.Findings.Except(shown).Select(finding => finding.Metric).ToList();
        if (isVerbose && quiet.Count > 0)
        {
            yield return Detail($"Zero on both sides, or no more than before: {string.Join(", ", quiet)}.");
        }

        var notGated = row.Findings.Where(finding => isVerbose && finding.Verdict == GateVerdict.NotGated);
        foreach (var group in notGated.GroupBy(finding => finding.Reason))
        {
            yield return Detail($"Not gated: {string.Join(", ", group.Select(finding => finding.Metric))}. {group.Key}");
        }

        foreach (var reason in row.Reasons)
        {
            yield return Detail(reason);
        }
    }

    private static ReportTable Dropped(GateResult result) => new(
        "Dropped pairs",
        ReportText.DroppedPairs,
        [Text("Scenario"), Text("Pair"), Text("Why")],
        [.. from row in result.Scenarios
            from pair in row.Pairs
            from veto in pair.Vetoes
            select Values(row.Scenario, Figures.Count(pair.Number), veto)]);

    private static string Value(GateFinding finding, double? value) => finding.Kind switch
    {
        GateMetricKind.Time when finding.Unit == "/s" => Figures.Rate(value),
        GateMetricKind.Time => Figures.Ms(value),
        _ => Figures.Counter(value),
    };

    private static string Bracket(IntervalResult? bracket) => bracket is null ? "" : $" ({Figures.Bracket(bracket)})";

    private static string Signed(double? share) =>
        share is { } value ? (value > 0 ? "+" : "") + Figures.Percent(value) : Figures.Absent;
}
