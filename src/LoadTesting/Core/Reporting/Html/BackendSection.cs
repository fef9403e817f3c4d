namespace LoadTesting.Core.Reporting.Html;

/// <summary>What the backend counted per operation, what it waited for, and what the processes used.</summary>
internal static class BackendSection
{
    public static bool Applies(RunResult run) =>
        run.Scenarios.Any(scenario => scenario.Backend is not null || scenario.Resources is not null);

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph("Counted cost per completed operation. Counts are steadier than times: a change here is a change in the system, "
            + "whatever the machine.");
        foreach (var profile in run.Scenarios.Where(scenario => scenario.Backend is not null).GroupBy(scenario => scenario.Profile))
        {
            Counters(html, profile.Key, [.. profile]);
        }

        var used = run.Scenarios.Where(scenario => scenario.Resources is not null).ToList();
        if (used.Count > 0)
        {
            Resources(html, used);
        }

        html.Paragraph("Raw counters are in run.json.", "quiet");
    }

    private static void Counters(HtmlWriter html, string profile, IReadOnlyList<ScenarioResult> scenarios)
    {
        var names = scenarios.SelectMany(scenario => scenario.Backend!.PerOperation.Keys).Distinct().ToList();
        Column[] columns = [Column.Words("Scenario"), .. names.Select(name => new Column(name, "per op")), Column.Words("Dominant waits")];
        html.OpenTable($"Backend counters per operation: {profile}", columns);
        foreach (var scenario in scenarios)
        {
            var backend = scenario.Backend!;
            html.Open("tr").RowHeader(scenario.NameWithoutProfile());
            foreach (var name in names)
            {
                html.Number(Figures.Counter(backend.PerOperation.GetValueOrDefault(name)));
            }

            var waits = backend.Waits.Take(3).Select(wait => $"{wait.Name} {Figures.Percent(wait.Share)}");
            html.Cell(backend.Waits.Count == 0 ? "none recorded" : string.Join(", ", waits)).Close("tr");
        }

        html.CloseTable();
        Notes(html, scenarios);
    }

    /// <summary>Each note once, with the scenarios it is about when it is not about all.</summary>
    private static void Notes(HtmlWriter html, IReadOnlyList<ScenarioResult> scenarios)
    {
        var notes = scenarios.SelectMany(scenario =>
            scenario.Backend!.Notes.Distinct().Select(note => (Note: note, Name: scenario.NameWithoutProfile())));
        foreach (var about in notes.GroupBy(entry => entry.Note, entry => entry.Name))
        {
            html.Paragraph(about.Count() == scenarios.Count ? about.Key : $"{string.Join(", ", about)}: {about.Key}", "quiet");
        }
    }

    private static void Resources(HtmlWriter html, IReadOnlyList<ScenarioResult> scenarios)
    {
        Column[] columns = [Column.Words("Scenario"), Column.Words("Generator"), Column.Words("Service"), Column.Words("Database")];
        html.OpenTable("Processor and memory of the processes", columns);
        foreach (var scenario in scenarios)
        {
            var resources = scenario.Resources!;
            html.Open("tr").RowHeader(scenario.Name).Cell(Words(resources.Generator)).Cell(Words(resources.Service))
                .Cell(Words(resources.Database)).Close("tr");
        }

        html.CloseTable();
    }

    private static string Words(IReadOnlyDictionary<string, double?> figures) => figures.Count == 0
        ? Figures.Absent
        : string.Join(", ", figures.Select(figure => Figures.Named(figure.Key, figure.Value)));
}

/// <summary>What lies below the system, and how near the results come to it.</summary>
internal static class CeilingSection
{
    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Measured in the same run on the same machine. An operation that shares its commit with others can pass the commit " +
            "ceiling: above 100 % batching is at work.");
        html.OpenTable(
            "Ceilings by profile",
            Column.Words("Profile"), new("fsync", "per s"), new("Commits, 1 client", "per s"), new("Commits, many", "per s"),
            new("Clients"), new("Round trip", "ms"), new("Empty HTTP", "per s"), new("Transport alone", "events/s"),
            new("Transport alone, one", "ms"));
        foreach (var (profile, ceilings) in run.CeilingsByProfile)
        {
            html.Open("tr").RowHeader(profile).Number(Figures.Rate(ceilings.FsyncPerSecond))
                .Number(Figures.Rate(ceilings.CommitsPerSecond));
            html.Number(Figures.Rate(ceilings.ConcurrentCommitsPerSecond)).Number(Figures.Count(ceilings.ConcurrentClients));
            html.Number(Figures.Ms(ceilings.RoundTripMs)).Number(Figures.Rate(ceilings.EmptyHttpPerSecond));
            html.Number(Figures.Rate(ceilings.TransportEventsPerSecond)).Number(Figures.Ms(ceilings.TransportMs)).Close("tr");
            foreach (var note in ceilings.Notes)
            {
                html.DetailRow(9, note, "note");
            }
        }

        html.CloseTable();
        var compared = run.Scenarios.Where(scenario => scenario.CeilingShares.Count > 0).ToList();
        if (compared.Count > 0)
        {
            Compare(html, compared);
        }
    }

    private static void Compare(HtmlWriter html, IReadOnlyList<ScenarioResult> scenarios)
    {
        var shown = CeilingShares.Columns(scenarios);
        html.OpenTable(
            "Throughput as a share of each ceiling",
            [Column.Words("Scenario"), new Column("Throughput", "ops/s"), .. shown.Select(share => new Column(share.Header))]);
        foreach (var scenario in scenarios)
        {
            html.Open("tr").RowHeader(scenario.Name).Number(Figures.Rate(scenario.ThroughputPerSecond));
            foreach (var (name, _) in shown)
            {
                html.Number(CeilingShares.Cell(scenario, name));
            }

            html.Close("tr");
        }

        html.CloseTable();
    }
}
