using static LoadTesting.Core.Reporting.Tables.ComparisonTableColumn;
using static LoadTesting.Core.Reporting.Tables.ComparisonTableRow;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a comparison, in reading order; a table that would be empty is left out.</summary>
public static class ComparisonTables
{
    private static readonly ComparisonTableColumn[] Latency =
        [new("n"), new("avg", "ms"), new("p50", "ms"), new("p95", "ms"), new("p99", "ms"), new("max", "ms")];

    /// <summary>What is compared, what differs, scenarios, capacities, phases, ledger, counters per operation, remarks.</summary>
    public static IReadOnlyList<ComparisonTable> Of(Comparison comparison)
    {
        ArgumentNullException.ThrowIfNull(comparison);
        ComparisonTable[] tables =
        [
            Compared(comparison), Differences(comparison), Scenarios(comparison), Capacities(comparison), Phases(comparison),
            Ledger(comparison), Counters(comparison), Remarks(comparison),
        ];
        return [.. tables.Where(table => table.Rows.Count > 0)];
    }

    private static ComparisonTable Compared(Comparison comparison) => new(
        "Compared", null, [Words("Column"), Words("From"), Words("Begun"), Words("Backend"), Words("Machine")],
        [.. comparison.Columns.Select(column => Values(
            column.Title, column.Source.Label, Figures.Utc(column.Source.Run.CreatedUtc), Backend(column),
            column.Environment.MachineClass ?? "not recorded"))]);

    private static ComparisonTable Differences(Comparison comparison) => new(
        "What differs",
        "Holds for every row; what differs in single rows stands below them. " +
        "Results unlike in machine, durability, content or load are not ranked.",
        [Words("What"), .. comparison.Columns.Select(column => Words(column.Title)), Words("No ranking of")],
        [.. comparison.Columns.SelectMany(column => column.Differences).Select(difference => difference.What).Distinct()
            .Select(what => Difference(what, comparison.Columns))]);

    private static ComparisonTableRow Difference(string what, IReadOnlyList<ComparisonColumn> columns)
    {
        var found = columns
            .Select(column => (column.Letter, Difference: column.Differences.FirstOrDefault(difference => difference.What == what)))
            .ToList();
        var first = found.First(entry => entry.Difference is not null).Difference!.First;
        return Values(
            [what, first, .. found.Skip(1).Select(entry => entry.Difference?.Other ?? "as " + columns[0].Letter),
                string.Join(", ", found.Where(entry => entry.Difference?.ForbidsVerdict == true).Select(entry => entry.Letter))]);
    }

    private static ComparisonTable Scenarios(Comparison comparison)
    {
        var first = comparison.Columns[0];
        ComparisonTableColumn[] columns = [Words("Column"), new("Throughput", "ops/s"), .. Latency, Words($"Against {first.Letter}")];
        var rows = comparison.Rows.SelectMany(row =>
            row.Cells.SelectMany(cell => Scenario(cell, first, columns.Length)).Prepend(Group(row)));
        return new(
            "Scenarios",
            "Ratios are throughput and median latency (mean, where a median is missing) over the first column's, one run against one run: "
            + $"repeat and interleave before believing one. A word needs {Comparison.MinimumOperations} operations a side; n is the "
            + "count of samples.",
            columns, [.. rows]);
    }

    private static ComparisonTable Capacities(Comparison comparison) => new(
        "Capacities",
        "The limit lies within the bracket; a ratio's interval is what the ends of both brackets allow. One that holds 1 says nothing.",
        [Words("Column"), new("Limit", "ops/s"), new("From"), new("To"), Words($"Against {comparison.Columns[0].Letter}")],
        [.. comparison.Capacities.SelectMany(row => row.Cells.Select(Capacity)
            .Prepend(ComparisonTableRow.Group($"{row.Name}, {Figures.Word(row.Hosting)}")))]);

    private static ComparisonTableRow Capacity(CapacityCell cell) => cell.Capacity is not { } capacity
        ? new(ComparisonRowKind.Missing, [cell.Column.Title, Figures.Absent, Figures.Absent, Figures.Absent, "not in this run"])
        : Values(
            cell.Column.Title, Figures.Rate(capacity.LimitPerSecond), Figures.Rate(capacity.Bracket?.Low),
            Figures.Rate(capacity.Bracket?.High),
            capacity.Bracket is null ? capacity.Sentence
            : cell.Unlike.Count > 0 ? $"not ranked: {string.Join(", ", cell.Unlike)}"
            : cell.Ratio is null ? ""
            : ComparisonWords.Capacity(cell));

    private static IEnumerable<ComparisonTableRow> Scenario(ComparisonCell cell, ComparisonColumn first, int width)
    {
        if (cell.Scenario is not { } scenario)
        {
            yield return new(
                ComparisonRowKind.Missing, [cell.Column.Title, .. Enumerable.Repeat(Figures.Absent, width - 2), "not in this run"]);
            yield break;
        }

        yield return Values(
            [
                cell.Column.Title, Figures.Rate(scenario.ThroughputPerSecond), .. Figures.Latency(scenario.Latency),
                ComparisonWords.Finding(cell),
            ]);
        if (cell.Repetitions > 1)
        {
            yield return Detail($"{cell.Column.Letter}: the newest of {cell.Repetitions} repetitions.");
        }

        if (cell.Differences.Count > 0)
        {
            var differences = cell.Differences.Select(difference =>
                ComparisonWords.Difference(difference, first.Letter, cell.Column.Letter));
            yield return Detail(string.Join("; ", differences) + ".");
        }
    }

    private static ComparisonTable Phases(Comparison comparison)
    {
        ComparisonTableColumn[] columns = [Words("Phase"), Words("Column"), .. Latency];
        var rows = new List<ComparisonTableRow>();
        foreach (var row in comparison.Rows)
        {
            var there = row.Cells.Where(cell => cell.Scenario is not null).ToList();
            var phases = there.SelectMany(cell => cell.Scenario!.Phases.Keys).Distinct().ToList();
            rows.AddRange(Grouped(row, phases.SelectMany(phase => there.Select(cell => Phase(phase, cell)))));
        }

        return new("Phases", "Phases overlap and do not add up to the whole operation.", columns, rows);
    }

    private static ComparisonTableRow Phase(string phase, ComparisonCell cell) =>
        cell.Scenario!.Phases.TryGetValue(phase, out var latency)
            ? Values([phase, cell.Column.Title, .. Figures.Latency(latency)])
            : new(ComparisonRowKind.Missing, [phase, cell.Column.Title, .. Latency.Select(_ => Figures.Absent)]);

    private static ComparisonTable Ledger(Comparison comparison)
    {
        var ledgers = comparison.Rows.SelectMany(row => row.Cells).Select(cell => cell.Scenario?.Ledger).OfType<LedgerResult>();
        var counts = LedgerColumns.Of(ledgers).Shown;
        var rows = comparison.Rows.Where(row => row.Cells.Any(cell => cell.Scenario?.Ledger is not null)).SelectMany(row =>
            row.Cells.Where(cell => cell.Scenario is not null).Select(cell => Ledger(cell, counts)).Prepend(Group(row)));
        return new(
            "Ledger", "Where every operation ended.",
            [Words("Column"), Words("Account"), .. counts.Select(name => new ComparisonTableColumn(name))], [.. rows]);
    }

    private static ComparisonTableRow Ledger(ComparisonCell cell, IReadOnlyList<string> counts)
    {
        if (cell.Scenario!.Ledger is not { } ledger)
        {
            return new(ComparisonRowKind.Missing, [cell.Column.Title, "not kept", .. counts.Select(_ => Figures.Absent)]);
        }

        var values = ledger.Counts().ToDictionary();
        var account = ledger.Balanced ? "balanced" : "NOT BALANCED";
        return Values([cell.Column.Title, account, .. counts.Select(name => Figures.Count(values[name]))]);
    }

    private static ComparisonTable Counters(Comparison comparison)
    {
        var rows = new List<ComparisonTableRow>();
        foreach (var row in comparison.Rows)
        {
            var names = row.Cells.SelectMany(cell => cell.Scenario?.Backend?.PerOperation.Keys ?? []).Distinct().ToList();
            var counters = names.Select(name => Values([name, .. row.Cells.Select(cell => Counter(cell, name))])).ToList();
            if (row.Cells.Any(cell => cell.Scenario?.Backend?.Waits.Count > 0))
            {
                counters.Add(Values(["dominant wait", .. row.Cells.Select(cell => Figures.TopWait(cell.Scenario?.Backend))]));
            }

            rows.AddRange(Grouped(row, counters));
        }

        return new(
            "Counters per operation",
            "Only counters of one product and one source mean the same; the remarks in each result file say how they were counted.",
            [Words("Counter"), .. comparison.Columns.Select(column => new ComparisonTableColumn(column.Title))], rows);
    }

    private static ComparisonTable Remarks(Comparison comparison) => new(
        "Remarks of the runs", null, [Words("Column"), Words("Remark")],
        [.. comparison.Columns.GroupBy(column => column.Source).SelectMany(group => group.Key.Run.Notes.Select(note =>
            Values(string.Join(", ", group.Select(column => column.Letter)), note)))]);

    private static string Counter(ComparisonCell cell, string name) =>
        Figures.Counter(cell.Scenario?.Backend?.PerOperation.GetValueOrDefault(name));

    private static string Backend(ComparisonColumn column)
    {
        var backend = column.Backend;
        var product = string.Join(" ", new[] { backend?.Product ?? "not recorded", backend?.Version }.OfType<string>());
        return $"{product}, durability: {backend?.Durability ?? "not recorded"}";
    }

    private static ComparisonTableRow Group(ComparisonRow row) =>
        ComparisonTableRow.Group($"{row.Name}, {Figures.Word(row.Hosting)}");

    private static IEnumerable<ComparisonTableRow> Grouped(ComparisonRow row, IEnumerable<ComparisonTableRow> rows) =>
        rows.Any() ? rows.Prepend(Group(row)) : [];
}

public static class ComparisonWords
{
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

    internal static string Capacity(CapacityCell cell) =>
        $"{Ratio(cell.Ratio)} ({Ratio(cell.Interval!.Low)} .. {Ratio(cell.Interval.High)}): "
        + (cell.Interval.Low > 1 ? "higher" : cell.Interval.High < 1 ? "lower" : "the brackets overlap");

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
