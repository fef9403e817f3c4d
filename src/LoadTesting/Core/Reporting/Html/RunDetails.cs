using LoadTesting.Core.Analysis.Findings;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// What belongs to the run and to no scenario, folded away: machine and backends, ceilings, what was not exercised,
/// sizing, and the words of the page.
/// </summary>
internal static class RunDetails
{
    public const string Id = "run";

    private static readonly (string Id, string Title, Action<HtmlWriter, RunResult> Write,
        Func<RunResult, bool> Applies)[] Parts =
    [
        ("environment", "Machine, runtime and backends", Environment, _ => true),
        ("ceilings", "Ceilings of disk, database and HTTP server", Ceilings, run => run.CeilingsByProfile.Count > 0),
        ("sizing", "Sizing", Sizing, run => SizingNote.Of(run).Count > 0),
        ("not-exercised", "Not exercised", NotExercised, run => run.NotExercised.Count > 0),
        ("reading", "How to read this report", Reading, _ => true),
    ];

    // Tables below one another align.
    private static readonly ReportColumn[] Facts =
        [ReportColumn.Text("What") with { Style = "fact" }, ReportColumn.Text("Value")];

    /// <summary>The addresses that this part of the page takes.</summary>
    public static IEnumerable<string> Ids => [Id, Id + "-title", .. Parts.Select(part => part.Id)];

    public static void Write(HtmlWriter html, RunResult run)
    {
        if (run.NotExercised.Count > 0)
        {
            html.Paragraph("Not exercised: "
                + $"{string.Join(", ", run.NotExercised.Select(entry => entry.Profile).Distinct())}.", "quiet");
        }

        foreach (var part in Parts.Where(part => part.Applies(run)))
        {
            html.Open("details", ("class", "scenario"), ("id", part.Id)).Element("summary", part.Title);
            part.Write(html, run);
            html.Close("details");
        }
    }

    private static void Environment(HtmlWriter html, RunResult run)
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

    private static void Ceilings(HtmlWriter html, RunResult run) => HtmlDocument.Write(html, new ReportTable(
        "Ceilings by profile", ReportText.CeilingsByProfile,
        [
            ReportColumn.Text("Profile"), new("fsync", "per s"), new("Commits, 1 client", "per s"),
            new("Commits, many", "per s"), new("Clients"), new("Round trip", "ms"), new("Empty HTTP", "per s"),
            new("Transport alone", "events/s"), new("Transport alone, one", "ms"),
        ],
        [
            .. run.CeilingsByProfile.SelectMany(ceilings => ceilings.Value.Notes.Select(ReportRow.Detail)
                .Prepend(ReportRow.Values([ceilings.Key, .. Figures.Ceilings(ceilings.Value)]))),
        ]));

    private static void Sizing(HtmlWriter html, RunResult run)
    {
        foreach (var note in SizingNote.Of(run))
        {
            html.Paragraph(note);
        }
    }

    private static void NotExercised(HtmlWriter html, RunResult run)
    {
        html.OpenTable(ReportText.NotExercised, ReportColumn.Text("Profile"), ReportColumn.Text("Reason"),
            ReportColumn.Text("Enabled by"));
        foreach (var entry in run.NotExercised)
        {
            html.Open("tr").RowHeader(entry.Profile).Cell(entry.Reason).Open("td");
            _ = entry.Command is { } command ? html.Element("code", command) : html.Text(ReportText.NotPossibleHere);
            html.Close("td").Close("tr");
        }

        html.CloseTable();
    }

    private static void Reading(HtmlWriter html, RunResult run)
    {
        html.Open("dl");
        foreach (var (word, meaning) in ReportText.Terms)
        {
            html.Element("dt", word).Element("dd", meaning);
        }

        html.Close("dl");
        html.Paragraph(
            $"Schema {run.SchemaVersion}. run.json has all figures of this page, the histograms and the raw counters.",
            "quiet");
    }
}
