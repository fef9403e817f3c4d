namespace LoadTesting.Core.Reporting.Html;

/// <summary>The top of the page: the verdict in one sentence and the tiles.</summary>
internal static class RunHeader
{
    public static void Write(HtmlWriter html, ReportInput input, string title)
    {
        var run = input.Run;
        html.Open("header").Element("h1", title);
        html.Paragraph(string.Join(" · ", new[]
        {
            Figures.Utc(run.CreatedUtc),
            run.Commit is null
                ? "no repository"
                : $"commit {RunHistory.Commit(run)}{(run.Dirty == true ? " with uncommitted changes" : "")}",
            run.Environment.Dotnet,
        }.OfType<string>()), "about");
        html.Open("dl", ("class", "tiles"));
        foreach (var tile in RunTiles.Of(run))
        {
            html.Open("div", ("class", tile.Outcome is { } outcome ? Badges.StyleOf(outcome) : ""))
                .Element("dt", tile.Title).Element("dd", tile.Value, ("class", "value"))
                .Open("dd").Prose(tile.Note).Close("dd").Close("div");
        }

        html.Close("dl");
        if (run.Partial is { } partial)
        {
            html.Paragraph($"Partial: {partial}.");
        }

        html.Close("header");
    }
}
