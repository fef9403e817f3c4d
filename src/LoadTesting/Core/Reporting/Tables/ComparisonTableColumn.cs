namespace LoadTesting.Core.Reporting.Tables;

/// <summary>A column of a <see cref="ComparisonTable"/>.</summary>
/// <param name="Name">Its heading.</param>
/// <param name="Unit">Unit of its figures; null without one.</param>
/// <param name="IsNumeric">Whether it holds figures, which align to the right.</param>
public sealed record ComparisonTableColumn(string Name, string? Unit = null, bool IsNumeric = true);
