using LoadTesting.Core.Analysis.Findings;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>Where the response time goes: ranked findings with their evidence, and every resource of every scenario.</summary>
internal static class FindingSection
{
    private static readonly Column[] Ranked =
    [
        Column.Words("Finding"), new("Impact", "ms per op"), new("Share of response"), Column.Words("Confidence"),
    ];

    public static bool Applies(RunResult run) => FindingWords.Examined(run).Count > 0;

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(FindingWords.Introduction);
        foreach (var note in SizingNote.Of(run))
        {
            html.Open("p").Element("strong", "Sizing: ").Text(note).Close("p");
        }

        var examined = FindingWords.Examined(run);
        Findings(html, [.. examined.Where(scenario => scenario.Findings!.Ranked.Count > 0)]);
        Resources(html, examined);
        foreach (var reason in FindingWords.Unexamined(examined))
        {
            html.Paragraph(reason, "quiet");
        }
    }

    private static void Findings(HtmlWriter html, IReadOnlyList<ScenarioResult> scenarios)
    {
        if (scenarios.Count == 0)
        {
            html.Paragraph("No resource is guilty.");
            return;
        }

        html.OpenTable("Findings, the greatest impact first", Ranked);
        foreach (var scenario in scenarios)
        {
            html.GroupRow(Ranked.Length, scenario.Name, $"{Figures.Ms(1000 * scenario.Findings!.ResponseSeconds)} ms a response");
            foreach (var finding in scenario.Findings!.Ranked)
            {
                html.Open("tr").RowHeader($"{Figures.Count(finding.Rank)}. {finding.Resource}");
                html.Number(Figures.Ms(1000 * finding.ImpactSecondsPerOperation)).Number(Figures.Percent(finding.ShareOfResponseTime));
                html.Cell(FindingWords.Word(finding.Confidence)).Close("tr");
                html.DetailRow(Ranked.Length, string.Join(" ", [.. finding.Evidence, finding.Suggestion]), "note");
            }
        }

        html.CloseTable();
    }

    private static void Resources(HtmlWriter html, IReadOnlyList<ScenarioResult> examined)
    {
        var names = FindingWords.Resources(examined);
        html.OpenTable(
            "Share of the response time by resource; guilty ones are marked",
            [
                Column.Words("Scenario"),
                new Column("Response", "ms"), .. names.Append("unexplained").Select(name => new Column(name) { Style = "number wrap" }),
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
            html.Open("td", ("class", "number")).Badge(FindingWords.Share(findings, resource), "unsure").Close("td");
        }
        else
        {
            html.Number(resource is null ? Figures.Absent : FindingWords.Share(findings, resource));
        }
    }
}
