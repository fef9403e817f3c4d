namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a report says of a run beside its baselines.</summary>
internal static class BaselineWords
{
    public const string Introduction =
        "One run against one run of the same class of machine: a word needs 100 operations a side and more than 10 % of difference, and "
        + "is a reason to repeat, no proof; wfperf gate decides from interleaved pairs. Intervals are of the operations of one run; runs "
        + "differ by more.";

    private const int MostNamed = 4;

    /// <summary>Whether the build is slower, in a sentence, with the style of its outcome.</summary>
    public static (string Text, string Style) Headline(IReadOnlyList<BaselineRow> rows)
    {
        var found = rows.Where(row => row.Reference is not null).ToList();
        if (found.Count == 0)
        {
            return ("no accepted baseline holds these scenarios, so nothing says whether this build is slower.", "");
        }

        var parts = found.GroupBy(row => row.Finding).OrderBy(group => Rank(group.Key)).Select(Part).ToList();
        if (rows.Count > found.Count)
        {
            parts.Add($"{Figures.Count(rows.Count - found.Count)} in no baseline");
        }

        var worse = found.Count(IsWorse);
        var disturbed = found.Count(row => IsWorse(row) && row.Scenario.Validity is { Vetoes.Count: > 0 });
        var judged = found.Count(row => row.Finding is ComparisonFinding.Slower or ComparisonFinding.Mixed or ComparisonFinding.Within
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
        ComparisonFinding.Slower => "slower",
        ComparisonFinding.Mixed => "mixed",
        ComparisonFinding.Faster => "faster",
        ComparisonFinding.Within => "within 10 %",
        ComparisonFinding.TooFew => "too few operations",
        ComparisonFinding.NotRanked => "not comparable",
        _ => Figures.Absent,
    };

    /// <summary>The style of a badge; null where the word needs none.</summary>
    public static string? Style(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.Slower or ComparisonFinding.Mixed => "unsure",
        ComparisonFinding.Faster or ComparisonFinding.Within => "good",
        _ => null,
    };

    /// <summary>What a reader looks at first has the least.</summary>
    public static int Rank(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.Slower => 0,
        ComparisonFinding.Mixed => 1,
        ComparisonFinding.Faster => 2,
        ComparisonFinding.Within => 3,
        ComparisonFinding.TooFew => 4,
        _ => 5,
    };

    public static string Commit(RunResult run) => run.Commit is { } commit ? commit[..Math.Min(7, commit.Length)] : "no commit";

    private static string Part(IGrouping<ComparisonFinding, BaselineRow> group)
    {
        var text = $"{Figures.Count(group.Count())} {Word(group.Key)}";
        if (group.Key is not (ComparisonFinding.Slower or ComparisonFinding.Mixed or ComparisonFinding.Faster))
        {
            return text;
        }

        var sign = group.Key == ComparisonFinding.Faster ? -1 : 1;
        var named = group.OrderBy(row => sign * row.ThroughputRatio).Take(MostNamed).Select(row =>
            $"{row.Scenario.Name} throughput {Figures.Percent(row.ThroughputRatio)}, median {Figures.Percent(row.LatencyRatio)} of it");
        return $"{text} ({string.Join("; ", named)}{(group.Count() > MostNamed ? "; …" : "")})";
    }
}
