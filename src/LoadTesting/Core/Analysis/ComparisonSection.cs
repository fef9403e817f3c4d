namespace LoadTesting.Core.Analysis;

/// <summary>Columns side by side, compared with the first of them.</summary>
public sealed record ComparisonSection
{
    private ComparisonSection(IReadOnlyList<ComparisonColumn> columns, IReadOnlyList<ComparisonRow> rows)
    {
        Columns = columns;
        Rows = rows;
    }

    /// <summary>The columns in the order of the runs, those of one run by profile.</summary>
    public IReadOnlyList<ComparisonColumn> Columns { get; }

    /// <summary>The rows: those of the first column in its order, then the others by name.</summary>
    public IReadOnlyList<ComparisonRow> Rows { get; }

    /// <summary>Searches for the capacity, matched as scenarios are.</summary>
    public IReadOnlyList<CapacityRow> Capacities { get; private init; } = [];

    internal static ComparisonSection Of(IReadOnlyList<ComparisonColumn> columns)
    {
        var keyOf = KeyFor(columns);
        var rows = RowKeys(columns, keyOf).Select(key => Row(key, columns, keyOf)).ToList();
        var reported = columns.Select(
            column => column with { Differences = ColumnDifferences(column, columns[0], rows) }).ToList();
        return new ComparisonSection(reported, [.. rows.Select(row => Judge(row, reported))])
        {
            Capacities = CapacityRow.Of(reported),
        };
    }

    /// <summary>
    /// Runs over different transports share their rows, and are marked as unlike; where a run has both, each transport
    /// has a row of its own.
    /// </summary>
    private static Func<ScenarioResult, (string Name, HostingKind Hosting)> KeyFor(
        IReadOnlyList<ComparisonColumn> columns)
    {
        var mixed =
            columns.Any(column => Results(column).GroupBy(result => (result.NameWithoutTransport(), result.Hosting))
            .Any(group => group.Select(result => result.Transport).Distinct().Count() > 1));
        return mixed
            ? scenario => (scenario.NameWithoutProfile(), scenario.Hosting)
            : scenario => (scenario.NameWithoutTransport(), scenario.Hosting);
    }

    private static List<(string Name, HostingKind Hosting)> RowKeys(
        IReadOnlyList<ComparisonColumn> columns, Func<ScenarioResult, (string Name, HostingKind Hosting)> keyOf)
    {
        var first = Results(columns[0]).Select(keyOf).Distinct().ToList();
        var others = columns.Skip(1).SelectMany(Results).Select(keyOf).Distinct().Except(first)
            .OrderBy(key => key.Name, StringComparer.Ordinal).ThenBy(key => key.Hosting);
        return [.. first, .. others];
    }

    private static IEnumerable<ScenarioResult> Results(ComparisonColumn column) =>
        column.Source.Run.Scenarios.Where(scenario => scenario.Profile == column.Profile);

    private static ComparisonRow Row(
        (string Name, HostingKind Hosting) key, IReadOnlyList<ComparisonColumn> columns,
        Func<ScenarioResult, (string Name, HostingKind Hosting)> keyOf) =>
        new(key.Name, key.Hosting,
            [.. columns.Select(column => Cell(column, [.. Results(column).Where(result => keyOf(result) == key)]))]);

    private static ComparisonCell Cell(ComparisonColumn column, IReadOnlyList<ScenarioResult> results) =>
        new(column, results.Count > 0 ? results[^1] : null) { Repetitions = results.Count };

    private static IReadOnlyList<ComparisonDifference> ColumnDifferences(
        ComparisonColumn column, ComparisonColumn first, IReadOnlyList<ComparisonRow> rows)
    {
        if (column.Letter == first.Letter)
        {
            return [];
        }

        var matched =
            rows.Select(row => RowDifferences(row, column)).OfType<IReadOnlyList<ComparisonDifference>>().ToList();
        var everywhere = matched.Count < 2
            ? [] : matched.SelectMany(differences => differences).GroupBy(difference => difference.What)
            .Where(group => group.Count() == matched.Count && !Comparability.AlwaysByRow.Contains(group.Key))
            .Select(group => Combine([.. group]));
        return [.. Comparability.OfColumns(first, column), .. everywhere];
    }

    /// <summary>Null when one of the two is missing.</summary>
    private static IReadOnlyList<ComparisonDifference>? RowDifferences(ComparisonRow row, ComparisonColumn column)
    {
        var other = row.Cells.Single(cell => cell.Column.Letter == column.Letter).Scenario;
        return row.Cells[0].Scenario is { } first && other is not null
            ? [.. Comparability.OfScenarios(first, other)] : null;
    }

    /// <summary>One difference for all rows, with its values if they are the same in every row.</summary>
    private static ComparisonDifference Combine(IReadOnlyList<ComparisonDifference> differences)
    {
        string Common(Func<ComparisonDifference, string> side) =>
            differences.Select(side).Distinct().Count() == 1 ? side(differences[0]) : "by scenario";
        return differences[0]
            with { First = Common(difference => difference.First), Other = Common(difference => difference.Other) };
    }

    private static ComparisonRow Judge(ComparisonRow row, IReadOnlyList<ComparisonColumn> columns)
    {
        var first = row.Cells[0].Scenario;
        return row
            with { Cells =
                [.. row.Cells.Select((cell, index) => Judge(first, cell with { Column = columns[index] }, index))] };
    }

    private static ComparisonCell Judge(ScenarioResult? first, ComparisonCell cell, int index)
    {
        if (first is null || cell.Scenario is not { } scenario)
        {
            return cell with { Finding = ComparisonFinding.Missing };
        }

        if (index == 0)
        {
            return cell with { Finding = ComparisonFinding.First };
        }

        var all = Comparability.OfScenarios(first, scenario).ToList();
        var said = cell.Column.Differences.Select(difference => difference.What).ToHashSet();
        var judged = cell with { Differences = [.. all.Where(difference => !said.Contains(difference.What))] };
        return all.Concat(cell.Column.Differences).Any(difference => difference.ForbidsVerdict)
            ? judged with { Finding = ComparisonFinding.NotRanked }
            : ComparisonVerdict.Judge(judged, first, scenario);
    }
}
