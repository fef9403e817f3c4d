namespace LoadTesting.Core.Reporting.Tables;

/// <summary>A row of a <see cref="ComparisonTable"/>.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Cells">One text for each column, or a single one for groups and details.</param>
public sealed record ComparisonTableRow(ComparisonRowKind Kind, IReadOnlyList<string> Cells);
