using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What reports in any form say of findings.</summary>
internal static class FindingWords
{
    public const string Introduction =
        "The mean response time, divided among resources. Guilty: an operation loses a considerable share of it there. Exonerated: it was examined and does "
        + "not. What was not examined is neither.";

    public static IReadOnlyList<ScenarioResult> Examined(RunResult run) => [.. run.Scenarios.Where(scenario => scenario.Findings is not null)];

    /// <summary>Resources in the order in which they are told, of whatever version wrote the run.</summary>
    public static IReadOnlyList<string> Resources(IEnumerable<ScenarioResult> examined) =>
        [.. examined.SelectMany(scenario => scenario.Findings!.Resources).Select(resource => resource.Resource).Distinct()];

    public static string Share(FindingsResult findings, ResourceResult resource) => resource.State == ResourceState.NotExamined
        ? Figures.Absent
        : Figures.Percent(findings.ResponseSeconds > 0 ? resource.ImpactSecondsPerOperation / findings.ResponseSeconds : null);

    /// <summary>Each reason once, with the resources and scenarios it is about; scenarios are left out when it is about all.</summary>
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

    public static string Word(FindingConfidence confidence) => confidence switch
    {
        FindingConfidence.High => "high",
        FindingConfidence.Medium => "medium",
        _ => "low",
    };
}
