using LoadTesting.Core.Analysis.Gating;
using static LoadTesting.Core.Reporting.Tables.ComparisonTableColumn;
using static LoadTesting.Core.Reporting.Tables.ComparisonTableRow;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a gate's decision and of its own test, in reading order.</summary>
public static class GateTables
{
    /// <summary>Findings of every scenario, and the pairs that were dropped.</summary>
    public static IReadOnlyList<ComparisonTable> Of(GateResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        ComparisonTable[] tables = [Findings(result), Dropped(result)];
        return [.. tables.Where(table => table.Rows.Count > 0)];
    }

    /// <summary>What decided, in sentences: each finding that failed or was inconclusive, and the verdict last.</summary>
    /// <param name="result">The decision.</param>
    /// <param name="report">Where a reader finds more when a scenario has no report of its own; null for nowhere.</param>
    public static IReadOnlyList<string> Statements(GateResult result, string? report)
    {
        ArgumentNullException.ThrowIfNull(result);
        var failed = result.Scenarios.SelectMany(row => row.Findings
            .Where(finding => finding.Verdict is GateVerdict.Regressed or GateVerdict.Suspect or GateVerdict.Inconclusive)
            .Select(finding => Statement(row, finding, row.Report ?? report)));
        var hindered = result.Scenarios.SelectMany(row => row.Reasons.Select(reason => $"{row.Scenario}: {reason}"));
        var cause = result.Cause switch
        {
            GateCause.Noise => " (noise)",
            GateCause.Unlike => " (not comparable)",
            GateCause.MissingBase => " (no sound base)",
            _ => "",
        };
        return [.. result.Reasons, .. hindered, .. failed, $"{result.Verdict}{cause}: {result.Candidate} against {result.Baseline}."];
    }

    private static string Statement(GateRow row, GateFinding finding, string? report) =>
        $"{finding.Verdict} {row.Scenario}, {finding.Metric}: measured {Value(finding, finding.Measured)}"
        + $"{Bracket(finding.MeasuredBracket)}, limit {Value(finding, finding.Limit)}, baseline {Value(finding, finding.Baseline)}"
        + $"{Bracket(finding.BaselineBracket)} {finding.Unit}; n "
        + $"{Figures.Count(finding.N)}{(finding.Pairs > 0 ? $", {finding.Pairs} pairs" : "")}. "
        + finding.Reason + (report is null ? "" : $" Report: {report}");

    private static ComparisonTable Findings(GateResult result) => new(
        "Gate",
        "Change is how much worse the candidate is. Detectable is the smallest change that these pairs would have shown in four of five "
        + "decisions; a stored baseline has none.",
        [
            Words("Metric"), Words("Verdict"), new("Baseline"), new("Measured"), new("Limit"), Words("Unit"), new("Change"),
            new("From 99 %"), new("To 95 %"), new("Detectable"), new("n"), new("Pairs"),
        ],
        [.. result.Scenarios.SelectMany(Rows)]);

    private static IEnumerable<ComparisonTableRow> Rows(GateRow row)
    {
        yield return Group($"{row.Scenario}: {row.Verdict}");
        var shown = row.Findings.Where(finding =>
            finding.Kind != GateMetricKind.Correctness || finding.Verdict == GateVerdict.Regressed || finding.Measured > 0).ToList();
        foreach (var finding in shown.Where(finding => finding.Verdict != GateVerdict.NotGated || finding.Kind == GateMetricKind.Time))
        {
            yield return Values(
                finding.Metric, finding.Verdict.ToString(), Value(finding, finding.Baseline) + Bracket(finding.BaselineBracket),
                Value(finding, finding.Measured) + Bracket(finding.MeasuredBracket),
                Value(finding, finding.Limit),
                finding.Unit, Signed(finding.Change), Signed(finding.Lower99), Signed(finding.Upper95), Signed(finding.DetectableChange),
                Figures.Count(finding.N), finding.Pairs > 0 ? Figures.Count(finding.Pairs) : Figures.Absent);
        }

        var quiet = row.Findings.Except(shown).Select(finding => finding.Metric).ToList();
        if (quiet.Count > 0)
        {
            yield return Detail($"None, on either side or no more than before: {string.Join(", ", quiet)}.");
        }

        foreach (var group in row.Findings.Where(finding => finding.Verdict == GateVerdict.NotGated).GroupBy(finding => finding.Reason))
        {
            yield return Detail($"Not gated: {string.Join(", ", group.Select(finding => finding.Metric))}. {group.Key}");
        }

        foreach (var reason in row.Reasons)
        {
            yield return Detail(reason);
        }
    }

    private static ComparisonTable Dropped(GateResult result) => new(
        "Dropped pairs",
        "Both sides of a pair are left out of times when one of them says nothing about them. What went wrong, and what was counted, "
        + "counts all the same.",
        [Words("Scenario"), Words("Pair"), Words("Why")],
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

    private static string Bracket(IntervalResult? bracket) =>
        bracket is null ? "" : $" ({Figures.Rate(bracket.Low)} .. {Figures.Rate(bracket.High)})";

    private static string Signed(double? share) => share is { } value ? (value > 0 ? "+" : "") + Figures.Percent(value) : Figures.Absent;
}
