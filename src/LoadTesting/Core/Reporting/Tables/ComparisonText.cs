namespace LoadTesting.Core.Reporting.Tables;

public static class ComparisonText
{
    private const int MaxNamed = 4;

    /// <summary>In the order in which readers look at them.</summary>
    private static readonly ComparisonFinding[] Findings =
    [
        ComparisonFinding.Slower, ComparisonFinding.Mixed, ComparisonFinding.Faster, ComparisonFinding.Within,
        ComparisonFinding.TooShort, ComparisonFinding.NotRanked, ComparisonFinding.Missing,
    ];

    public static string Title(Comparison comparison)
    {
        var profiles = comparison.Columns.Select(column => column.Profile).Distinct().ToList();
        return comparison.Sections.Count > 1 ? $"{string.Join(", ", profiles)}: each compared with itself"
            : profiles.Count > 1 ? string.Join(" beside ", profiles)
            : $"{comparison.Columns.Count} runs of {profiles[0]}";
    }

    /// <summary>
    /// The verdict: how many rows are slower, faster and so on; of all columns, then of each where there are several.
    /// </summary>
    public static IReadOnlyList<string> Statements(Comparison comparison)
    {
        var columns = comparison.Sections.SelectMany(section => section.Columns.Skip(1).Select((column, index) =>
            (Title: $"{column.Title} against {section.Columns[0].Title}",
                Cells: section.Rows.Select(row => row.Cells[index + 1]).ToList())))
            .ToList();
        var all = columns.Count > 1
            ? [$"{Verdict([.. columns.SelectMany(column => column.Cells)])}."] : Array.Empty<string>();
        return [.. all, .. columns.Select(column => $"{column.Title}: {Verdict(column.Cells)}.")];
    }

    /// <summary>Why a row has no finding, or one that needs no attention.</summary>
    internal static string Why(ComparisonCell first, ComparisonCell cell) => cell.Finding switch
    {
        ComparisonFinding.Missing => $"only in {(cell.Scenario is null ? first : cell).Column.Title}",
        ComparisonFinding.NotRanked => "not ranked: " + string.Join("; ", cell.Unlike.Select(difference =>
            Reason(difference, first.Column.Letter, cell.Column.Letter))),
        _ => Word(cell.Finding),
    };

    /// <summary>Why two results are not ranked: they differ, or one of them does not record it.</summary>
    internal static string Reason(ComparisonDifference difference, string first, string other)
    {
        if (difference.IsKnown)
        {
            return $"{difference.What} differs ({first} {difference.First}, {other} {difference.Other})";
        }

        var silent = new[] { (Name: first, Value: difference.First), (Name: other, Value: difference.Other) }
            .Where(side => side.Value == Comparability.NotRecorded).Select(side => side.Name).ToList();
        return $"{difference.What} not recorded{(silent.Count == 1 ? " in " + silent[0] : "")}";
    }

    /// <summary>The first few of them, and how many more there are.</summary>
    internal static string Names(IEnumerable<string> names)
    {
        var all = names.ToList();
        return string.Join(", ", all.Take(MaxNamed))
            + (all.Count > MaxNamed ? $" and {Figures.Count(all.Count - MaxNamed)} more" : "");
    }

    internal static bool IsChanged(ComparisonFinding finding) =>
        finding is ComparisonFinding.Slower or ComparisonFinding.Mixed or ComparisonFinding.Faster;

    /// <summary>The order in which readers look at findings, the lowest first.</summary>
    internal static int Rank(ComparisonFinding finding) => Array.IndexOf(Findings, finding);

    internal static string Word(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.TooShort => "too short to compare",
        ComparisonFinding.Within => "within the margins",
        ComparisonFinding.Faster => "faster",
        ComparisonFinding.Slower => "slower",
        ComparisonFinding.Mixed => "mixed",
        ComparisonFinding.NotRanked => "not ranked",
        ComparisonFinding.Missing => "missing",
        _ => throw new ArgumentOutOfRangeException(
            nameof(finding), finding, "The first column has no finding."),
    };

    /// <summary>The finding of a cell as a table shows it.</summary>
    internal static string Finding(ComparisonCell cell) => cell.Finding switch
    {
        ComparisonFinding.First => "",
        ComparisonFinding.Missing => Figures.Absent,
        ComparisonFinding.NotRanked => "not ranked",
        ComparisonFinding.TooShort => $"{Word(cell.Finding)}: {Ratios(cell, withMargins: false)}",
        _ => $"{Word(cell.Finding)}: {Ratios(cell, withMargins: true)}",
    };

    internal static string Capacity(CapacityCell cell) =>
        $"{Ratio(cell.Ratio)} ({Ratio(cell.Interval!.Low)} .. {Ratio(cell.Interval.High)}): "
        + (cell.Interval.Low > 1 ? "higher" : cell.Interval.High < 1 ? "lower" : "the brackets overlap");

    internal static string Difference(ComparisonDifference difference, string first, string other) =>
        $"{difference.What}: {first} {difference.First}, {other} {difference.Other}";

    private static string Verdict(IReadOnlyList<ComparisonCell> cells)
    {
        var counts = Findings.Select(finding => (finding, Count: cells.Count(cell => cell.Finding == finding)))
            .Where(found => found.Count > 0).Select(found => $"{Figures.Count(found.Count)} {Word(found.finding)}");
        var isQuiet = !cells.Any(cell => IsChanged(cell.Finding));
        return (isQuiet ? "nothing is slower or faster: " : "") + string.Join(", ", counts);
    }

    private static string Ratios(ComparisonCell cell, bool withMargins)
    {
        var figures = new[] { (cell.Throughput, Name: "/s"), (cell.Median, Name: "p50"), (cell.P95, Name: "p95") };
        return string.Join(", ", figures.Select(figure => figure.Item1 is { } ratio
            ? $"{Ratio(ratio.Value)} {figure.Name}{(withMargins ? Margin(ratio) : "")}"
            : $"{Figures.Absent} {figure.Name}"));
    }

    private static string Margin(ComparisonRatio ratio) =>
        string.Create(CultureInfo.InvariantCulture, $" (±{100 * (ratio.Margin - 1):0} %)");

    private static string Ratio(double? ratio) =>
        ratio is { } value ? "×" + value.ToString("0.00", CultureInfo.InvariantCulture) : Figures.Absent;
}
