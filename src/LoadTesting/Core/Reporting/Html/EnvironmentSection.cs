namespace LoadTesting.Core.Reporting.Html;

/// <summary>The machine, and each backend with the settings it reported.</summary>
internal static class EnvironmentSection
{
    // Tables below one another align.
    private static readonly ReportColumn[] Facts =
        [ReportColumn.Text("What") with { Style = "fact" }, ReportColumn.Text("Value")];

    public static void Write(HtmlWriter html, RunResult run)
    {
        HtmlDocument.Write(html, new ReportTable(
            "Machine and runtime", null, Facts,
            [.. EnvironmentFacts.Of(run).Select(fact => ReportRow.Values(fact.Name, fact.Value))]));
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
        html.OpenTable($"Backend of {profile}, settings read back from the server", Facts);
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
