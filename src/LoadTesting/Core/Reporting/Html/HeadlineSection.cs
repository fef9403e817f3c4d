namespace LoadTesting.Core.Reporting.Html;

/// <summary>The top of the page: the headline of the run.</summary>
internal static class HeadlineSection
{
    public static void Write(HtmlWriter html, ReportInput input, string title)
    {
        var run = input.Run;
        html.Open("header").Element("h1", title);
        var environment = run.Environment;
        html.Paragraph(string.Join(" · ", new[]
        {
            $"{ScenarioCounts.Of(run)}",
            Figures.Utc(run.CreatedUtc),
            run.Commit is null
                ? "no repository"
                : $"commit {RunHistory.Commit(run)}{(run.Dirty == true ? " with uncommitted changes" : "")}",
            environment is { CpuModel: { } cpu, Cores: { } cores }
                ? $"{cpu}, {Quantity.Of(cores, "core")}" : environment.CpuModel,
            environment.Dotnet,
        }.OfType<string>()), "about");
        html.Open("ul", ("class", "headlines"));
        if (input.Rows.Count > 0)
        {
            var (text, style) = BaselineText.Headline(input.Rows);
            html.Open("li", ("class", style)).Element("strong", "Against the baseline:").Prose(" " + text).Close("li");
        }

        foreach (var statement in Headline.Of(run))
        {
            html.Open("li", ("class", Badges.StyleOf(statement.Outcome)));
            html.Element("strong", statement.Profile + ":").Prose(" " + statement.Text).Close("li");
        }

        foreach (var capacity in run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly))
        {
            html.Open("li", ("class", CapacitySection.Style(capacity))).Element("strong", capacity.Profile + ":")
                .Prose($" {capacity.NameWithoutProfile()}: {capacity.SentenceWithViolations()}").Close("li");
        }

        html.Close("ul");
        Remarks(html, run);
        html.Close("header");
    }

    private static void Remarks(HtmlWriter html, RunResult run)
    {
        if (run.Partial is { } partial)
        {
            html.Paragraph($"Partial: {partial}.");
        }

        if (Headline.NoRanking(run) is { } noRanking)
        {
            html.Paragraph(noRanking, "quiet");
        }

        if (run.NotExercised.Count > 0)
        {
            html.Open("p", ("class", "quiet"))
                .Text($"Not exercised: {string.Join(", ", run.NotExercised.Select(entry => entry.Profile).Distinct())} (");
            html.Element("a", "why, and how to enable it", ("href", "#not-exercised")).Text(").").Close("p");
        }

        foreach (var note in run.Notes)
        {
            html.Paragraph(note, "quiet");
        }
    }
}
