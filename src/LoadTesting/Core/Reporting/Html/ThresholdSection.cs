using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The rules that scenarios declare, and what failed by code and message.</summary>
internal static class ThresholdSection
{
    private static readonly ReportColumn[] Columns =
    [
        Text("Threshold"), Text("Outcome"), Text("Limit"), new("Measured"), new("n"),
    ];

    private static readonly ReportColumn[] ErrorColumns = [Text("Code"), Text("Message"), new("Count")];

    public static bool Applies(RunResult run) => run.Scenarios.Any(scenario => scenario is
        { Thresholds: { Count: > 0 } } or { Errors: { Count: > 0 } });

    public static void Write(HtmlWriter html, RunResult run)
    {
        var ruled = run.Scenarios.Where(scenario => scenario.Thresholds is { Count: > 0 }).ToList();
        if (ruled.Count > 0)
        {
            html.OpenTable("Thresholds that the scenarios declare", Columns);
            ruled.ForEach(scenario => Rules(html, scenario));
            html.CloseTable();
        }

        var failing = run.Scenarios.Where(scenario => scenario.Errors is { Count: > 0 }).ToList();
        if (failing.Count > 0)
        {
            html.OpenTable("Failures by code and message", ErrorColumns);
            failing.ForEach(scenario => Errors(html, scenario));
            html.CloseTable();
        }
    }

    private static void Rules(HtmlWriter html, ScenarioResult scenario)
    {
        html.GroupRow(Columns.Length, scenario.Name);
        foreach (var rule in scenario.Thresholds!)
        {
            html.Open("tr").RowHeader(rule.Metric).Open("td").Badge(TimelineText.Word(rule.Outcome), rule.Outcome switch
            {
                ThresholdOutcome.Passed => "good",
                ThresholdOutcome.Failed => "bad",
                _ => "unsure",
            }).Close("td");
            html.Element("td", rule.Limit, ("class", "line")).Number(Figures.Counter(rule.Measured))
                .Number(Figures.Count(rule.N))
                .Close("tr");
        }
    }

    private static void Errors(HtmlWriter html, ScenarioResult scenario)
    {
        html.GroupRow(ErrorColumns.Length, scenario.Name);
        foreach (var error in scenario.Errors!)
        {
            html.Open("tr").RowHeader(error.Code.Length == 0 ? Figures.Absent : error.Code).Cell(error.Message)
                .Number(Figures.Count(error.Count)).Close("tr");
        }
    }
}
