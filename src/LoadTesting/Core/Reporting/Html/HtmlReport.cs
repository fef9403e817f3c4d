namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The run as one page: the verdict, a table of all scenarios, and everything else folded below it. No resource from
/// elsewhere, light and dark, readable without script, on a telephone and on paper.
/// </summary>
public static class HtmlReport
{
    /// <param name="run">The run to show.</param>
    /// <param name="baselines">Accepted baselines to compare with, the newest last; null or empty for none.</param>
    public static string Render(RunResult run, IReadOnlyList<RunResult>? baselines = null)
    {
        run = run.InReadingOrder();
        var input = new ReportInput(run, BaselineRow.Of(run, baselines ?? []));
        var title = RunTiles.Sentence(run, input.Rows);
        var html = new HtmlWriter().OpenPage($"{title} · {run.RunId}");
        RunHeader.Write(html, input, title);
        if (run.Scenarios.Count + run.Capacity.Count > 0)
        {
            html.OpenSection(ScenarioSection.Id, "Scenarios");
            ScenarioSection.Write(html, input);
            html.CloseSection();
        }

        html.OpenSection(RunDetails.Id, "Run");
        RunDetails.Write(html, run);
        html.CloseSection();
        html.ClosePageWithScript();
        return html.ToString();
    }
}
