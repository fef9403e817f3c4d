namespace LoadTesting.Core.Reporting.Html;

/// <summary>The machine, and each backend with the settings it reported.</summary>
internal static class EnvironmentSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        html.OpenTable("Machine and runtime", Column.Facts);
        foreach (var (name, value) in EnvironmentFacts.Of(run))
        {
            html.Open("tr").RowHeader(name).Cell(value).Close("tr");
        }

        html.CloseTable();
        // The page shows every backend, so it need not say that one member of the document is null.
        foreach (var note in run.Environment.Notes.Where(note => note != EnvironmentInfo.SeveralBackends))
        {
            html.Paragraph(note, "quiet");
        }

        foreach (var (profile, backend) in run.Environment.Backends)
        {
            Backend(html, profile, backend);
        }
    }

    private static void Backend(HtmlWriter html, string profile, BackendInfo backend)
    {
        html.OpenTable($"Backend of {profile}, settings read back from the server", Column.Facts);
        Fact(html, "product", backend.Product);
        Fact(html, "version", backend.Version);
        Fact(html, "durability", backend.Durability);
        Fact(html, "provision", backend.Provision);
        foreach (var (name, value) in backend.Settings)
        {
            html.Open("tr").RowHeader(name).Open("td").Element("code", value).Close("td").Close("tr");
        }

        foreach (var note in backend.Notes)
        {
            html.DetailRow(2, note, "note");
        }

        html.CloseTable();
    }

    private static void Fact(HtmlWriter html, string name, string? value)
    {
        if (value is not null)
        {
            html.Open("tr").RowHeader(name).Cell(value).Close("tr");
        }
    }
}

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
