using System.Globalization;
using LoadTesting.Core.Analysis;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a comparison says in words.</summary>
public static class ComparisonWords
{
    /// <summary>What the comparison is of.</summary>
    public static string Title(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        var profiles = comparison.Columns.Select(column => column.Profile).Distinct().ToList();
        return profiles.Count > 1 ? string.Join(" beside ", profiles) : $"{comparison.Columns.Count} runs of {profiles[0]}";
    }

    /// <summary>A sentence or two for each column after the first: rows matched, findings, and why rows are not ranked.</summary>
    public static IReadOnlyList<string> Statements(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        return [.. comparison.Columns.Skip(1).Select((_, index) => Statement(comparison, index + 1))];
    }

    /// <summary>The finding of a cell as a table shows it.</summary>
    internal static string Finding(ComparisonCell cell) => cell.Finding switch
    {
        ComparisonFinding.First => "",
        ComparisonFinding.Missing => Figures.Absent,
        ComparisonFinding.NotRanked => "not ranked",
        _ => $"{Word(cell.Finding)}: {Ratio(cell.ThroughputRatio)} /s, {Ratio(cell.LatencyRatio)} ms",
    };

    internal static string Difference(ComparisonDifference difference, string first, string other) =>
        $"{difference.What}: {first} {difference.First}, {other} {difference.Other}";

    private static string Statement(Comparison comparison, int index)
    {
        var (first, column) = (comparison.Columns[0], comparison.Columns[index]);
        var cells = comparison.Rows.Select(row => (First: row.Cells[0], Cell: row.Cells[index])).ToList();
        var both = cells.Where(pair => pair is { First.Scenario: not null, Cell.Scenario: not null }).Select(pair => pair.Cell).ToList();
        var text = $"{column.Title} against {first.Title}: {both.Count} {(both.Count == 1 ? "scenario is" : "scenarios are")} in both"
            + OnlyIn(cells.Count(pair => pair.Cell.Scenario is null && pair.First.Scenario is not null), first)
            + OnlyIn(cells.Count(pair => pair.First.Scenario is null && pair.Cell.Scenario is not null), column) + ".";
        var findings = both.GroupBy(cell => cell.Finding).OrderByDescending(group => group.Key)
            .Select(group => $"{group.Count().ToString(CultureInfo.InvariantCulture)} {Word(group.Key)}").ToList();
        return both.Count == 0 ? text : $"{text} {string.Join(", ", findings)}.{Reasons(column, both)}";
    }

    private static string Reasons(ComparisonColumn column, IReadOnlyList<ComparisonCell> cells)
    {
        var unlike = column.Differences.Concat(cells.SelectMany(cell => cell.Differences)).Where(difference => difference.ForbidsVerdict)
            .Select(difference => difference.What).Distinct().ToList();
        return unlike.Count == 0 ? "" : $" Not known to be alike: {string.Join(", ", unlike)}.";
    }

    private static string OnlyIn(int count, ComparisonColumn column) =>
        count == 0 ? "" : $", {count.ToString(CultureInfo.InvariantCulture)} only in {column.Title}";

    private static string Word(ComparisonFinding finding) => finding switch
    {
        ComparisonFinding.TooFew => "too few operations",
        ComparisonFinding.Within => "within 10 %",
        ComparisonFinding.Faster => "faster",
        ComparisonFinding.Slower => "slower",
        ComparisonFinding.Mixed => "mixed",
        ComparisonFinding.NotRanked => "not ranked",
        _ => throw new ArgumentOutOfRangeException(nameof(finding), finding, "Rows that are in both columns have a finding of their own."),
    };

    private static string Ratio(double? ratio) =>
        ratio is { } value ? "×" + value.ToString("0.00", CultureInfo.InvariantCulture) : Figures.Absent;
}
