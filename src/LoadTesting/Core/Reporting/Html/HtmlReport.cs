using LoadTesting.Core.Reporting.Tables;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The run as one page: no script, no resource from elsewhere, light and dark, readable on a telephone and on paper.
/// </summary>
public static class HtmlReport
{
    private static readonly (string Id, string Title, Action<HtmlWriter, RunResult> Write, Func<RunResult, bool> Applies)[] Sections =
    [
        ("scenarios", "Scenarios", ScenarioSection.Write, run => run.Scenarios.Count > 0),
        ("phases", "Phases", PhaseSection.Write, PhaseSection.Applies),
        ("percentiles", "Percentile curves", PercentileSection.Write, PercentileSection.Applies),
        ("server", "Server split", ServerSplitSection.Write, ServerSplitSection.Applies),
        ("findings", "Findings", FindingSection.Write, FindingSection.Applies),
        ("capacity", "Capacity", CapacitySection.Write, CapacitySection.Applies),
        ("ledger", "Ledger", LedgerSection.Write, run => run.Scenarios.Count > 0),
        ("validity", "Validity", ValiditySection.Write, ValiditySection.Applies),
        ("backend", "Backend", BackendSection.Write, BackendSection.Applies),
        ("ceilings", "Ceilings", CeilingSection.Write, run => run.CeilingsByProfile.Count > 0),
        ("generator", "Generator", GeneratorSection.Write, run => run.Scenarios.Count > 0),
        ("environment", "Environment", EnvironmentSection.Write, _ => true),
        ("not-exercised", "Not exercised", NotExercisedSection.Write, _ => true),
        ("reading", "How to read this", ReadingSection.Write, _ => true),
    ];

    /// <summary>The page as text.</summary>
    public static string Render(RunResult run)
    {
        ArgumentNullException.ThrowIfNull(run);
        run = run.InReadingOrder();
        var html = new HtmlWriter();
        html.OpenPage($"{Title(run)} · {run.RunId}");
        HeadlineSection.Write(html, run, Title(run));
        var sections = Sections.Where(section => section.Applies(run)).ToList();
        html.Contents(sections.Select(section => (section.Id, section.Title)));
        foreach (var section in sections)
        {
            html.OpenSection(section.Id, section.Title);
            section.Write(html, run);
            html.CloseSection();
        }

        html.ClosePage();
        return html.ToString();
    }

    private static string Title(RunResult run)
    {
        var outcomes = run.Scenarios.Select(scenario => scenario.Verdict.Outcome).ToList();
        return outcomes.Count == 0 ? (run.Capacity.Count > 0 ? "Search for the capacity" : "No scenario has finished")
            : outcomes.Contains(VerdictOutcome.Failed) ? "Performance run failed"
            : outcomes.Contains(VerdictOutcome.Inconclusive) ? "Performance run inconclusive"
            : "Performance run passed";
    }
}
