namespace LoadTesting.Core.Reporting.Tables;

/// <summary>A table of a comparison as text, for whatever draws it.</summary>
/// <param name="Note">How to read it; null when that is plain.</param>
public sealed record ComparisonTable(
    string Title, string? Note, IReadOnlyList<ComparisonTableColumn> Columns, IReadOnlyList<ComparisonTableRow> Rows);

/// <param name="Name">Its heading.</param>
/// <param name="Unit">Unit of its figures; null without one.</param>
/// <param name="IsNumeric">Whether it holds figures, which align to the right.</param>
public sealed record ComparisonTableColumn(string Name, string? Unit = null, bool IsNumeric = true)
{
    internal static ComparisonTableColumn Words(string name) => new(name, IsNumeric: false);
}

/// <param name="Kind">What it is.</param>
/// <param name="Cells">One text for each column, or a single one for groups and details.</param>
public sealed record ComparisonTableRow(ComparisonRowKind Kind, IReadOnlyList<string> Cells)
{
    internal static ComparisonTableRow Group(string text) => new(ComparisonRowKind.Group, [text]);

    internal static ComparisonTableRow Values(params IReadOnlyList<string> cells) => new(ComparisonRowKind.Values, cells);

    internal static ComparisonTableRow Detail(string text) => new(ComparisonRowKind.Detail, [text]);
}

/// <summary>What a row of a <see cref="ComparisonTable"/> is.</summary>
public enum ComparisonRowKind
{
    /// <summary>One cell that heads the rows below it.</summary>
    Group,

    /// <summary>A cell for each column.</summary>
    Values,

    /// <summary>A cell for each column, of a result that is not there.</summary>
    Missing,

    /// <summary>One cell of text that belongs to the row above.</summary>
    Detail,
}
