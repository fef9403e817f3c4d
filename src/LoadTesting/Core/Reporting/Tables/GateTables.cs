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

    /// <summary>False alarms and power of simulated decisions.</summary>
    public static IReadOnlyList<ComparisonTable> Of(IReadOnlyList<SimulatedRate> rates)
    {
        ArgumentNullException.ThrowIfNull(rates);
        var falseAlarms = rates.Where(rate => rate.IsOfOneBuild).ToList();
        return
        [
            Summary(rates),
            new(
                "False alarms", "Decisions between recorded runs of one build. A metric may reach "
                    + $"{Figures.Percent(SimulatedRate.HighestRate)}, its bound {Figures.Percent(SimulatedRate.HighestBound)}.",
                [
                    Words("Injected"), Words("Metric"), new("Decisions"), new("Alarms"), new("Rate"), new("Upper bound 95 %"),
                    new("Inconclusive"), new("Pairs"),
                ],
                [.. falseAlarms.GroupBy(rate => rate.Scenario).SelectMany(group => group.Select(FalseAlarm).Prepend(Group(group.Key)))]),
            new(
                "Power", "The same with a regression put into the candidate: how often it was found.",
                [
                    Words("Injected"), Words("Metric"), new("Decisions"), new("Found"), new("Lower bound 95 %"), new("Inconclusive"),
                    new("Pairs"),
                ],
                [.. rates.Except(falseAlarms).GroupBy(rate => rate.Scenario)
                    .SelectMany(group => group.Select(Power).Prepend(Group(group.Key)))]),
        ];
    }

    /// <summary>A row for each recording: its worst metric, and how often each regression was found by any metric.</summary>
    private static ComparisonTable Summary(IReadOnlyList<SimulatedRate> rates)
    {
        var injections = rates.Where(rate => !rate.IsOfOneBuild).Select(rate => rate.Injection).Distinct().ToList();
        return new(
            "Summary",
            "False alarms of the metric that has most of them, of pairs drawn one by one and in runs of neighbours, and how often a "
                + "regression was found by any metric, after how many pairs on average.",
            [
                Words("Recorded"), new("False alarms"), new("Upper bound 95 %"), new("In runs"), new("Upper bound 95 %"),
                .. injections.Select(name => new ComparisonTableColumn(name)),
            ],
            [.. rates.GroupBy(rate => rate.Scenario).Select(group =>
            {
                var any = group.Where(rate => rate.Metric == SimulatedRate.AnyMetric).ToDictionary(rate => rate.Injection);
                SimulatedRate? Worst(Injection none) =>
                    group.Where(rate => rate.Injection == none.Name).Except(any.Values).MaxBy(rate => rate.Upper95);
                var (worst, inRuns) = (Worst(Injection.None), Worst(Injection.NoneInRuns));
                return Values(
                [
                    group.Key, Figures.Percent(worst?.Rate), Figures.Percent(worst?.Upper95),
                    Figures.Percent(inRuns?.Rate), Figures.Percent(inRuns?.Upper95),
                    .. injections.Select(name => any.TryGetValue(name, out var found)
                        ? $"{Figures.Percent(found.Rate)} ({Figures.Counter(found.MeanPairs)})"
                        : Figures.Absent),
                ]);
            })]);
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

    private static ComparisonTableRow FalseAlarm(SimulatedRate rate) => Values(
        rate.Injection, rate.Metric, Figures.Count(rate.Decisions), Figures.Count(rate.Regressed), Figures.Percent(rate.Rate),
        Figures.Percent(rate.Upper95), Figures.Count(rate.Inconclusive), Figures.Counter(rate.MeanPairs));

    private static ComparisonTableRow Power(SimulatedRate rate) => Values(
        rate.Injection, rate.Metric, Figures.Count(rate.Decisions), Figures.Percent(rate.Rate), Figures.Percent(rate.Lower95),
        Figures.Count(rate.Inconclusive), Figures.Counter(rate.MeanPairs));

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
