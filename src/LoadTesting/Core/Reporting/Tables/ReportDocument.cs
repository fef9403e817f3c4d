using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Http.Sweep;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>A report as text; each view formats it.</summary>
/// <param name="Title">Its heading.</param>
/// <param name="Statements">The outcome, a sentence each.</param>
/// <param name="Tables">The figures behind it, in reading order; none is empty.</param>
public sealed record ReportDocument(string Title, IReadOnlyList<string> Statements, IReadOnlyList<ReportTable> Tables)
{
    public static ReportDocument Of(Comparison comparison) => new(
        ComparisonText.Title(comparison), ComparisonText.Statements(comparison), ComparisonTables.Of(comparison));

    /// <param name="result">The decision.</param>
    /// <param name="report">As for <see cref="GateTables.Statements"/>.</param>
    public static ReportDocument Of(GateResult result, string? report) => new(
        $"Gate: {GateTables.Title(result)}", GateTables.Statements(result, report), GateTables.Of(result));

    public static ReportDocument Of(RunHistory history) => new(
        TrendText.Title(history), TrendText.Statements(history), TrendTables.Of(history));

    public static ReportDocument Of(SweepResult result) => new(
        SweepTables.Title, SweepTables.Statements(result), SweepTables.Of(result));
}
