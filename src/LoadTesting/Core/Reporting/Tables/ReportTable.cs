namespace LoadTesting.Core.Reporting.Tables;

/// <summary>A table of a report as text; each view formats it.</summary>
/// <param name="Note">How to read it; null if it needs no explanation.</param>
public sealed record ReportTable(
    string Title, string? Note, IReadOnlyList<ReportColumn> Columns, IReadOnlyList<ReportRow> Rows)
{
    /// <summary>The tables that have rows.</summary>
    internal static IReadOnlyList<ReportTable> Filled(params IEnumerable<ReportTable> tables) =>
        [.. tables.Where(table => table.Rows.Count > 0)];

    /// <summary>A table below a heading of its document.</summary>
    internal static ReportTable Untitled(IReadOnlyList<ReportColumn> columns, IEnumerable<ReportRow> rows) =>
        new("", null, columns, [.. rows]);
}
