using static LoadTesting.Core.Reporting.Tables.ReportColumn;
using static LoadTesting.Core.Reporting.Tables.ReportRow;
using static LoadTesting.Core.Reporting.Tables.ReportTable;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The tables of a comparison, in reading order; a table that would be empty is left out.</summary>
public static class ComparisonTables
{
    /// <summary>
    /// Changed rows, a line for each reason of the others, capacities, what differs, what is compared; then the figures
    /// of every row.
    /// </summary>
    public static IReadOnlyList<ReportTable> Of(Comparison comparison)
    {
        return
        [
            .. Short(comparison),
            .. Filled(
                [Scenarios(comparison), Phases(comparison), Ledger(comparison), .. Counters(comparison),
                    Remarks(comparison)]),
        ];
    }

    /// <summary>As <see cref="Of"/>, without the figures of rows that have not changed.</summary>
    public static IReadOnlyList<ReportTable> Short(Comparison comparison) =>
        Filled([Changed(comparison), Others(comparison), Capacities(comparison), .. Differences(comparison),
            Compared(comparison)]);

    private static ReportTable Compared(Comparison comparison) => new(
        "Compared", null, [Text("Column"), Text("From"), Text("Begun"), Text("Backend"), Text("Machine")],
        [.. comparison.Columns.Select(column => Values(
            column.Title, column.Source.Label, Figures.Utc(column.Source.Run.CreatedUtc), Backend(column),
            column.Environment.MachineClass ?? "not recorded"))]);

    private static IEnumerable<ReportTable> Differences(Comparison comparison) => comparison.Sections.Select(section =>
        new ReportTable(
            TitleOf("What differs", comparison, section),
            ReportText.Differences,
            [Text("What"), .. section.Columns.Select(column => Text(column.Title)), Text("No ranking of")],
            [.. section.Columns.SelectMany(column => column.Differences).Select(difference => difference.What)
                .Distinct()
                .Select(what => Difference(what, section.Columns))]));

    private static string TitleOf(string title, Comparison comparison, ComparisonSection section) =>
        comparison.Sections.Count == 1 ? title : $"{title}: {section.Columns[0].Profile}";

    private static ReportRow Difference(string what, IReadOnlyList<ComparisonColumn> columns)
    {
        var found = columns
            .Select(column =>
                (column.Letter, Difference: column.Differences.FirstOrDefault(difference => difference.What == what)))
            .ToList();
        var first = found.First(entry => entry.Difference is not null).Difference!.First;
        return Values(
            [what, first, .. found.Skip(1).Select(entry => entry.Difference?.Other ?? "as " + columns[0].Letter),
                string.Join(", ",
                    found.Where(entry => entry.Difference?.ForbidsVerdict == true).Select(entry => entry.Letter))]);
    }

    private static ReportTable Changed(Comparison comparison) => Figured(
        "Changed",
        comparison.Rows.Where(row => row.Cells.Any(IsChanged))
            .OrderBy(row => row.Cells.Where(IsChanged).Min(cell => ComparisonText.Rank(cell.Finding))));

    private static ReportTable Scenarios(Comparison comparison) => Figured("Scenarios", comparison.Rows);

    private static bool IsChanged(ComparisonCell cell) => ComparisonText.IsChanged(cell.Finding);

    private static ReportTable Figured(string title, IEnumerable<ComparisonRow> rows)
    {
        ReportColumn[] columns =
            [Text("Column"), new("Throughput", "ops/s"), .. ReportColumn.Latency, Text("Against the first")];
        return new(
            title,
            ReportText.Ratios,
            columns,
            [.. rows.SelectMany(row =>
                row.Cells.SelectMany(cell => Scenario(cell, row.Cells[0].Column, columns.Length))
                    .Prepend(Group(row.Name, row.Hosting)))]);
    }

    /// <summary>A line for each reason why rows of a column have no word, or one that needs no attention.</summary>
    private static ReportTable Others(Comparison comparison) => new(
        "Not changed, or not ranked", null, [Text("Column"), Text("Finding"), new("Scenarios"), Text("Which")],
        [
            .. comparison.Sections.SelectMany(section => section.Columns.Skip(1).SelectMany((_, index) => section.Rows
                .Select(row => (row.Name, First: row.Cells[0], Cell: row.Cells[index + 1]))
                .Where(found => !IsChanged(found.Cell))
                .GroupBy(found => (found.Cell.Column.Title, Why: ComparisonText.Why(found.First, found.Cell)))
                .OrderByDescending(group => group.Count())
                .Select(group => Values(
                    group.Key.Title, group.Key.Why, Figures.Count(group.Count()),
                    ComparisonText.Names(group.Select(found => found.Name)))))),
            .. comparison.Unpaired.Select(column => Values(
                column.Profile, $"profile only in {column.Source.Label}",
                Figures.Count(column.Source.Run.Scenarios.Count(scenario => scenario.Profile == column.Profile)),
                ComparisonText.Names(column.Source.Run.Scenarios.Where(scenario => scenario.Profile == column.Profile)
                    .Select(scenario => scenario.NameWithoutProfile())))),
        ]);

    private static ReportTable Capacities(Comparison comparison) => new(
        "Capacities",
        ReportText.Capacities,
        [Text("Column"), new("Limit", "ops/s"), new("From"), new("To"), Text("Against the first")],
        [.. comparison.Capacities.SelectMany(row => row.Cells.Select(Capacity)
            .Prepend(Group(row.Name, row.Hosting)))]);

    private static ReportRow Capacity(CapacityCell cell) => cell.Capacity is not { } capacity
        ? new(ReportRowKind.Missing,
            [cell.Column.Title, Figures.Absent, Figures.Absent, Figures.Absent, "not in this run"])
        : Values(
            cell.Column.Title, Figures.Rate(capacity.LimitPerSecond), Figures.Rate(capacity.Bracket?.Low),
            Figures.Rate(capacity.Bracket?.High),
            capacity.Bracket is null ? capacity.Sentence
            : cell.Unlike.Count > 0 ? $"not ranked: {string.Join(", ", cell.Unlike)}"
            : cell.Ratio is null ? ""
            : ComparisonText.Capacity(cell));

    private static IEnumerable<ReportRow> Scenario(ComparisonCell cell, ComparisonColumn first, int width)
    {
        if (cell.Scenario is not { } scenario)
        {
            yield return new(
                ReportRowKind.Missing,
                [cell.Column.Title, .. Enumerable.Repeat(Figures.Absent, width - 2), "not in this run"]);
            yield break;
        }

        yield return Values(
            [
                cell.Column.Title, Figures.Rate(scenario.ThroughputPerSecond), .. Figures.Latency(scenario.Latency),
                ComparisonText.Finding(cell),
            ]);
        if (cell.Repetitions > 1)
        {
            yield return Detail($"{cell.Column.Letter}: the newest of {cell.Repetitions} repetitions.");
        }

        if (cell.Differences.Count > 0)
        {
            var differences = cell.Differences.Select(difference =>
                ComparisonText.Difference(difference, first.Letter, cell.Column.Letter));
            yield return Detail(string.Join("; ", differences) + ".");
        }
    }

    private static ReportTable Phases(Comparison comparison)
    {
        ReportColumn[] columns = [Text("Phase"), Text("Column"), .. ReportColumn.Latency];
        var rows = new List<ReportRow>();
        foreach (var row in comparison.Rows)
        {
            var there = row.Cells.Where(cell => cell.Scenario is not null).ToList();
            var phases = there.SelectMany(cell => cell.Scenario!.Phases.Keys).Distinct().ToList();
            rows.AddRange(Grouped(row, phases.SelectMany(phase => there.Select(cell => Phase(phase, cell)))));
        }

        return new("Phases", ReportText.Phases, columns, rows);
    }

    private static ReportRow Phase(string phase, ComparisonCell cell) =>
        cell.Scenario!.Phases.TryGetValue(phase, out var latency)
            ? Values([phase, cell.Column.Title, .. Figures.Latency(latency)])
            : new(ReportRowKind.Missing,
                [phase, cell.Column.Title, .. ReportColumn.Latency.Select(_ => Figures.Absent)]);

    private static ReportTable Ledger(Comparison comparison)
    {
        var ledgers =
            comparison.Rows.SelectMany(row => row.Cells).Select(cell => cell.Scenario?.Ledger).OfType<LedgerResult>();
        var columns = LedgerColumns.Of(ledgers);
        var rows = comparison.Rows.Where(
            row => row.Cells.Any(cell => cell.Scenario?.Ledger is not null)).SelectMany(row =>
            row.Cells.Where(cell => cell.Scenario is not null).Select(cell => Ledger(cell, columns))
                .Prepend(Group(row.Name, row.Hosting)));
        return new(
            "Ledger", ReportText.Ledgers,
            [Text("Column"), Text("Account"), .. columns.Columns], [.. rows]);
    }

    private static ReportRow Ledger(ComparisonCell cell, LedgerColumns columns) => cell.Scenario!.Ledger is { } ledger
        ? Values([cell.Column.Title, LedgerColumns.Account(ledger), .. columns.Cells(ledger)])
        : new(ReportRowKind.Missing, [cell.Column.Title, "not kept", .. columns.Shown.Select(_ => Figures.Absent)]);

    private static IEnumerable<ReportTable> Counters(Comparison comparison) =>
        comparison.Sections
            .Select(section => Counters(TitleOf("Counters per operation", comparison, section), section));

    private static ReportTable Counters(string title, ComparisonSection section)
    {
        var rows = new List<ReportRow>();
        foreach (var row in section.Rows)
        {
            var names =
                row.Cells.SelectMany(cell => cell.Scenario?.Backend?.PerOperation.Keys ?? []).Distinct().ToList();
            var counters =
                names.Select(name => Values([name, .. row.Cells.Select(cell => Counter(cell, name))])).ToList();
            if (row.Cells.Any(cell => cell.Scenario?.Backend?.Waits.Count > 0))
            {
                counters.Add(
                    Values(["dominant wait", .. row.Cells.Select(cell => Figures.TopWait(cell.Scenario?.Backend))]));
            }

            rows.AddRange(Grouped(row, counters));
        }

        return new(
            title,
            ReportText.Counters,
            [Text("Counter"), .. section.Columns.Select(column => new ReportColumn(column.Title))], rows);
    }

    private static ReportTable Remarks(Comparison comparison) => new(
        "Remarks of the runs", null, [Text("Column"), Text("Remark")],
        [.. comparison.Columns.GroupBy(column => column.Source).SelectMany(group => group.Key.Run.Notes.Select(note =>
            Values(string.Join(", ", group.Select(column => column.Letter)), note)))]);

    private static string Counter(ComparisonCell cell, string name) =>
        Figures.Counter(cell.Scenario?.Backend?.PerOperation.GetValueOrDefault(name));

    private static string Backend(ComparisonColumn column)
    {
        var backend = column.Backend;
        var product = string.Join(" ", new[] { backend?.Product ?? "not recorded", backend?.Version }.OfType<string>());
        return $"{product}, {ReportText.Durability(backend?.Durability ?? "durability not recorded")}";
    }

    private static ReportRow Group(string name, HostingKind hosting) =>
        ReportRow.Group($"{name}, {Figures.Word(hosting)}");

    private static IEnumerable<ReportRow> Grouped(ComparisonRow row, IEnumerable<ReportRow> rows) =>
        rows.Any() ? rows.Prepend(Group(row.Name, row.Hosting)) : [];
}
