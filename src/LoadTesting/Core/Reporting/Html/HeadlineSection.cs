using LoadTesting.Core.Reporting.Tables;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The top of the page: what the run says in words.</summary>
internal static class HeadlineSection
{
    public static void Write(HtmlWriter html, RunResult run, string title)
    {
        html.Open("header").Element("h1", title);
        var environment = run.Environment;
        html.Paragraph(string.Join(" · ", new[]
        {
            Figures.Utc(run.CreatedUtc),
            run.Commit is { } commit ? "commit " + commit[..Math.Min(commit.Length, 7)] + (run.Dirty == true ? " with uncommitted changes" : "") : "no repository",
            environment.CpuModel is { } cpu ? $"{cpu}, {environment.Cores} cores" : null,
            environment.Dotnet,
        }.OfType<string>()), "about");
        html.Open("ul", ("class", "headlines"));
        foreach (var statement in Headline.Of(run))
        {
            html.Open("li", ("class", Badges.StyleOf(statement.Outcome)));
            html.Element("strong", statement.Profile + ":").Text(" " + statement.Text).Close("li");
        }

        foreach (var capacity in run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly))
        {
            html.Open("li").Element("strong", capacity.Profile + ":").Text($" {capacity.NameWithoutProfile()}: {capacity.Sentence}").Close("li");
        }

        html.Close("ul");
        Remarks(html, run);
        html.Close("header");
    }

    private static void Remarks(HtmlWriter html, RunResult run)
    {
        if (Headline.NoRanking(run) is { } noRanking)
        {
            html.Paragraph(noRanking, "quiet");
        }

        if (run.NotExercised.Count > 0)
        {
            html.Open("p", ("class", "quiet")).Text($"Not exercised: {string.Join(", ", run.NotExercised.Select(entry => entry.Profile).Distinct())} (");
            html.Element("a", "why, and how to enable it", ("href", "#not-exercised")).Text(").").Close("p");
        }

        foreach (var note in run.Notes)
        {
            html.Paragraph(note, "quiet");
        }
    }
}
