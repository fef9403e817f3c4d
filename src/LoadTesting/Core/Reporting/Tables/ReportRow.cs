namespace LoadTesting.Core.Reporting.Tables;

/// <param name="Kind">The kind of row.</param>
/// <param name="Cells">One text for each column, or a single one for groups and details.</param>
public sealed record ReportRow(ReportRowKind Kind, IReadOnlyList<string> Cells)
{
    internal static ReportRow Group(string text) => new(ReportRowKind.Group, [text]);

    internal static ReportRow Values(params IReadOnlyList<string> cells) => new(ReportRowKind.Values, cells);

    internal static ReportRow Detail(string text) => new(ReportRowKind.Detail, [text]);
}
