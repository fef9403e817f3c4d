namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Sentences about a run beside its baselines.</summary>
internal static class BaselineText
{
    public const string Introduction =
        "One run against one run of an alike machine: a word needs 200 operations and 5 s of load a side, "
            + "and a difference beyond what both "
        + "runs scatter by. It is a reason to repeat, no proof; wfperf gate decides from interleaved pairs. "
        + "Intervals are of the operations "
        + "of one run; runs differ by more.";

    private const int MaxNamed = 4;

    /// <summary>Whether the build is slower, in a sentence, with the style of its outcome.</summary>
    public static (string Text, string Style) Headline(IReadOnlyList<BaselineRow> rows)
    {
        var found = rows.Where(row => row.Reference is not null).ToList();
        if (found.Count == 0)
        {
            return ("no accepted baseline holds these scenarios, so nothing says whether this build is slower.", "");
        }

        var parts =
            found.GroupBy(row => row.Finding).OrderBy(group => ComparisonText.Rank(group.Key)).Select(Part).ToList();
        if (rows.Count > found.Count)
        {
            parts.Add($"{Figures.Count(rows.Count - found.Count)} in no baseline");
        }

        var worse = found.Count(IsWorse);
        var disturbed = found.Count(row => IsWorse(row) && row.Scenario.Validity is { Vetoes.Count: > 0 });
        var judged = found.Count(
            row => row.Finding is ComparisonFinding.Slower or ComparisonFinding.Mixed or ComparisonFinding.Within
            or ComparisonFinding.Faster);
        var answer = judged == 0 ? "nothing can be compared: "
            : worse == 0 ? $"nothing is slower in the {Figures.Count(judged)} that compare: "
            : "";
        var quiet = disturbed == 0
            ? ""
            : $" The machine was not quiet for {Figures.Count(disturbed)} of {Figures.Count(worse)}: repeat those.";
        return ($"{answer}{string.Join("; ", parts)}.{quiet}", worse > 0 || judged == 0 ? "unsure" : "good");
    }

    /// <summary>Whether throughput or latency is worse than the baseline's.</summary>
    public static bool IsWorse(BaselineRow row) => row.Finding is ComparisonFinding.Slower or ComparisonFinding.Mixed;

    public static string Word(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.NotRanked => "not comparable",
        ComparisonFinding.Missing => Figures.Absent,
        _ => ComparisonText.Word(finding),
    };

    /// <summary>Results that do not compare, a line for each reason.</summary>
    public static IEnumerable<string> NotComparable(IReadOnlyList<BaselineRow> rows) =>
        rows.Where(row => row.Finding == ComparisonFinding.NotRanked)
            .GroupBy(
                row => string.Join("; ", row.Unlike.Select(unlike => ComparisonText.Reason(unlike, "before", "now"))))
            .Select(group => $"Not comparable ({Figures.Count(group.Count())}), {group.Key}: "
                + $"{ComparisonText.Names(group.Select(row => row.Scenario.Name))}.");

    /// <summary>The style of a badge; null where the word needs none.</summary>
    public static string? Style(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.Slower or ComparisonFinding.Mixed => "unsure",
        ComparisonFinding.Faster or ComparisonFinding.Within => "good",
        _ => null,
    };

    private static string Part(IGrouping<ComparisonFinding, BaselineRow> group)
    {
        var text = $"{Figures.Count(group.Count())} {Word(group.Key)}";
        if (!ComparisonText.IsChanged(group.Key))
        {
            return text;
        }

        var sign = group.Key == ComparisonFinding.Faster ? -1 : 1;
        var named = group.OrderBy(row => sign * row.Cell!.Throughput!.Value).Take(MaxNamed).Select(row =>
            $"{row.Scenario.Name} throughput {Figures.Percent(row.Cell!.Throughput!.Value)}, median "
            + $"{Figures.Percent(row.Cell.Median!.Value)}, p95 {Figures.Percent(row.Cell.P95?.Value)} of it");
        return $"{text} ({string.Join("; ", named)}{(group.Count() > MaxNamed ? "; …" : "")})";
    }
}
