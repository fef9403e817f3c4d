using LoadTesting.Core.Analysis.Findings;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Sentences about findings, for every report.</summary>
internal static class FindingText
{
    /// <summary>The answer in a sentence; made from the ranking if the record has none.</summary>
    public static string Answer(FindingsResult findings) => findings switch
    {
        { Conclusion.Length: > 0 } => findings.Conclusion,
        { Ranked: [var first, ..] } => FindingRules.Conclude(first, findings.ResponseSeconds),
        _ => ReportText.NoFinding,
    };

    public static string ShareAndConfidence(FindingResult finding) =>
        $"{Figures.Percent(finding.ShareOfResponseTime)}, {Figures.Word(finding.Confidence)} confidence";

    public static IReadOnlyList<ScenarioResult> Examined(
        RunResult run) => [.. run.Scenarios.Where(scenario => scenario.Findings is not null)];

    /// <summary>
    /// Resources that take a hundredth of a response time or more somewhere, in the order of reports.
    /// </summary>
    public static IReadOnlyList<string> Resources(IEnumerable<ScenarioResult> examined) =>
    [
        .. examined.SelectMany(scenario => scenario.Findings!.Resources
                .Where(resource => resource.ImpactSecondsPerOperation >= 0.01 * scenario.Findings.ResponseSeconds))
            .Select(resource => resource.Resource).Distinct()
            .OrderBy(ResourceNames.PlaceOf),
    ];

    public static string Share(FindingsResult findings, ResourceResult resource) =>
        resource.State == ResourceState.NotExamined
        ? Figures.Absent
        : Figures.Percent(
            findings.ResponseSeconds > 0 ? resource.ImpactSecondsPerOperation / findings.ResponseSeconds : null);

    /// <summary>
    /// Each reason once, with its resources and scenarios; scenarios are left out if it concerns all.
    /// </summary>
    public static IEnumerable<string> Unexamined(IReadOnlyList<ScenarioResult> examined)
    {
        var reasons =
            from scenario in examined
            from resource in scenario.Findings!.Resources
            where resource.State == ResourceState.NotExamined
            group (scenario.Name, resource.Resource) by string.Join(" ", resource.Evidence);
        foreach (var reason in reasons)
        {
            var names = reason.Select(about => about.Name).Distinct().ToList();
            var where = names.Count == examined.Count ? "" : $" ({string.Join(", ", names)})";
            yield return $"Not examined: {string.Join(", ", reason.Select(about => about.Resource).Distinct())}{where}. {reason.Key}";
        }
    }
}
