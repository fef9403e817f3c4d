namespace LoadTesting.Core.Reporting.Html;

/// <summary>What a report shows: a run, and each of its scenarios beside its baseline.</summary>
internal sealed record ReportInput(RunResult Run, IReadOnlyList<BaselineRow> Rows)
{
    public BaselineRow? BaselineOf(ScenarioResult scenario) =>
        Rows.FirstOrDefault(row => ReferenceEquals(row.Scenario, scenario));
}
