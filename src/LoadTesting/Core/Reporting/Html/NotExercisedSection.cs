using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

internal static class NotExercisedSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        if (run.NotExercised.Count == 0)
        {
            html.Paragraph(Headline.EverythingWasRun);
            return;
        }

        html.OpenTable("Left out of this run", Text("Profile"), Text("Reason"), Text("Enabled by"));
        foreach (var entry in run.NotExercised)
        {
            html.Open("tr").RowHeader(entry.Profile).Cell(entry.Reason).Open("td");
            _ = entry.Command is { } command ? html.Element("code", command) : html.Text("nothing on this machine");
            html.Close("td").Close("tr");
        }

        html.CloseTable();
    }
}
