using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>What the backend counted per operation, what it waited for, and what the processes used.</summary>
internal static class BackendSection
{
    public static bool Applies(RunResult run) =>
        run.Scenarios.Any(scenario => scenario.Backend is not null || scenario.Resources is not null);

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "Counted cost per completed operation. Counts are steadier than times: "
                + "a change here is a change in the system, "
            + "whatever the machine.");
        foreach (var profile in run.Scenarios.Where(scenario => scenario.Backend is not null)
            .GroupBy(scenario => scenario.Profile))
        {
            Counters(html, profile.Key, [.. profile]);
        }

        var used = run.Scenarios.Where(scenario => scenario.Resources is not null).ToList();
        if (used.Count > 0)
        {
            HtmlDocument.Write(html, Resources(used));
        }

        html.Paragraph("Raw counters are in run.json.", "quiet");
    }

    private static void Counters(HtmlWriter html, string profile, IReadOnlyList<ScenarioResult> scenarios)
    {
        var names = scenarios.SelectMany(scenario => scenario.Backend!.PerOperation.Keys).Distinct().ToList();
        ReportColumn[] columns =
            [Text("Scenario"), .. names.Select(name => new ReportColumn(name, "per op")), Text("Dominant waits")];
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
            html.Paragraph(
                about.Count() == scenarios.Count ? about.Key : $"{string.Join(", ", about)}: {about.Key}", "quiet");
        }
    }

    private static ReportTable Resources(IEnumerable<ScenarioResult> scenarios) => new(
        "Processor and memory of the processes", null,
        [Text("Scenario"), Text("Generator"), Text("Service"), Text("Database")],
        [
            .. from scenario in scenarios
                let resources = scenario.Resources!
                select ReportRow.Values(
                    scenario.Name, Listed(resources.Generator), Listed(resources.Service), Listed(resources.Database)),
        ]);

    private static string Listed(IReadOnlyDictionary<string, double?> figures) => figures.Count == 0
        ? Figures.Absent
        : string.Join(", ", figures.Select(figure => Figures.Named(figure.Key, figure.Value)));
}
