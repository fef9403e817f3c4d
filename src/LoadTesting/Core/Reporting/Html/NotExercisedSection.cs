using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>What was asked for and left out.</summary>
internal static class NotExercisedSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        if (run.NotExercised.Count == 0)
        {
            html.Paragraph("Everything that was asked for was run.");
            return;
        }

        html.OpenTable("Left out of this run", Column.Words("Profile"), Column.Words("Reason"), Column.Words("Enabled by"));
        foreach (var entry in run.NotExercised)
        {
            html.Open("tr").RowHeader(entry.Profile).Cell(entry.Reason).Open("td");
            _ = entry.Command is { } command ? html.Element("code", command) : html.Text("nothing on this machine");
            html.Close("td").Close("tr");
        }

        html.CloseTable();
    }
}
