namespace LoadTesting.Core.Reporting.Tables;

/// <summary>A table of a comparison as text, for whatever draws it.</summary>
/// <param name="Title">Its title.</param>
/// <param name="Note">How to read it; null when that is plain.</param>
/// <param name="Columns">The columns.</param>
/// <param name="Rows">The rows.</param>
public sealed record ComparisonTable(
    string Title, string? Note, IReadOnlyList<ComparisonTableColumn> Columns, IReadOnlyList<ComparisonTableRow> Rows);
