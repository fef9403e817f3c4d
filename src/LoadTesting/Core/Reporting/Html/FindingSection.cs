using LoadTesting.Core.Analysis.Findings;
using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// Where the response time goes: ranked findings with their evidence, and every resource of every scenario.
/// </summary>
internal static class FindingSection
{
    private static readonly ReportColumn[] Ranked =
    [
        Text("Finding"), new("Impact", "ms per op"), new("Share of response"), Text("Confidence"),
    ];

    public static bool Applies(RunResult run) => FindingText.Examined(run).Count > 0;

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(FindingText.Introduction);
        foreach (var note in SizingNote.Of(run))
        {
            html.Open("p").Element("strong", "Sizing: ").Text(note).Close("p");
        }

        var examined = FindingText.Examined(run);
        Findings(html, examined);
        Resources(html, examined);
        foreach (var reason in FindingText.Unexamined(examined))
        {
            html.Paragraph(reason, "quiet");
        }
    }

    private static void Findings(HtmlWriter html, IReadOnlyList<ScenarioResult> scenarios)
    {
        html.OpenTable("Findings, the greatest impact first", Ranked);
        foreach (var scenario in scenarios)
        {
            html.GroupRow(Ranked.Length, scenario.Name, FindingText.Answer(scenario.Findings!));
            foreach (var finding in scenario.Findings!.Ranked)
            {
                html.Open("tr").RowHeader($"{Figures.Count(finding.Rank)}. {finding.Resource}");
                html.Number(Figures.Ms(1000 * finding.ImpactSecondsPerOperation))
                    .Number(Figures.Percent(finding.ShareOfResponseTime));
                html.Cell(Figures.Word(finding.Confidence)).Close("tr");
                html.DetailRow(Ranked.Length, string.Join(" ", [.. finding.Evidence, finding.Suggestion]), "note");
            }
        }

        html.CloseTable();
    }

    private static void Resources(HtmlWriter html, IReadOnlyList<ScenarioResult> examined)
    {
        var names = FindingText.Resources(examined);
        html.OpenTable(
            "Share of the response time by resource; guilty ones are marked",
            [
                Text("Scenario"),
                new ReportColumn("Response", "ms"),
                .. names.Append("unexplained").Select(name => new ReportColumn(name) { Style = "number wrap" }),
            ]);
        foreach (var scenario in examined)
        {
            var findings = scenario.Findings!;
            html.Open("tr").RowHeader(scenario.Name).Number(Figures.Ms(1000 * findings.ResponseSeconds));
            foreach (var name in names)
            {
                Resource(html, findings, findings.Resources.FirstOrDefault(resource => resource.Resource == name));
            }

            html.Number(Figures.Percent(findings.UnexplainedSeconds / findings.ResponseSeconds)).Close("tr");
        }

        html.CloseTable();
    }

    private static void Resource(HtmlWriter html, FindingsResult findings, ResourceResult? resource)
    {
        if (resource?.State == ResourceState.Guilty)
        {
            html.Open("td", ("class", "number")).Badge(FindingText.Share(findings, resource), "unsure").Close("td");
        }
        else
        {
            html.Number(resource is null ? Figures.Absent : FindingText.Share(findings, resource));
        }
    }
}
