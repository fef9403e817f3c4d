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
            Figures.Utc(run.CreatedUtc),
            run.Commit is { } commit
                ? "commit " + commit[..Math.Min(commit.Length, 7)] + (run.Dirty == true ? " with uncommitted changes" : "")
                : "no repository",
            environment.CpuModel is { } cpu ? $"{cpu}, {environment.Cores} cores" : null,
            environment.Dotnet,
        }.OfType<string>()), "about");
        html.Open("ul", ("class", "headlines"));
        if (input.Rows.Count > 0)
        {
            var (text, style) = BaselineWords.Headline(input.Rows);
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
                .Prose($" {capacity.NameWithoutProfile()}: {CapacityWords.Of(capacity)}").Close("li");
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

/// <summary>The table of verdicts and figures, by profile, with the reasons below each row that has some.</summary>
internal static class ScenarioSection
{
    private static readonly Column[] Columns =
    [
        Column.Words("Scenario"), Column.Words("Verdict"), Column.Words("Hosting"), new("Conc."), new("Throughput", "ops/s"),
        .. Column.Latency,
    ];

    public static void Write(HtmlWriter html, RunResult run)
    {
        var places = run.Scenarios.Select((scenario, index) => (scenario, index))
            .ToDictionary(object (place) => place.scenario, place => place.index, ReferenceEqualityComparer.Instance);
        html.OpenTable("Verdict, throughput and latency of whole operations", Columns);
        foreach (var profile in run.Scenarios.GroupBy(scenario => scenario.Profile))
        {
            html.GroupRow(Columns.Length, profile.Key, Headline.BackendOf(run, profile.Key));
            foreach (var scenario in profile)
            {
                Row(html, scenario, ScenarioDetailSection.Id(places[scenario]));
            }
        }

        html.CloseTable();
        html.Paragraph("Below 100 samples p99 is the maximum or nearly so: read n first.", "quiet");
        ExplainBatches(html, run.Scenarios);
        Details(html, run);
    }

    /// <summary>Latencies of a batch are long whatever the system does: what to read in their place stands beside them.</summary>
    public static void ExplainBatches(HtmlWriter html, IEnumerable<ScenarioResult> scenarios)
    {
        // The remark is the scenario's own; only it knows.
        var batches = scenarios.Where(scenario => scenario.Notes.Any(note => note.StartsWith("A batch:", StringComparison.Ordinal)))
            .Select(scenario => scenario.NameWithoutProfile()).Distinct().ToList();
        if (batches.Count > 0)
        {
            html.Paragraph(
                $"Of batches ({string.Join(", ", batches)}) read the throughput: their latency is mostly the wait for the rest of the "
                + "batch.");
        }
    }

    private static void Row(HtmlWriter html, ScenarioResult scenario, string detail)
    {
        html.Open("tr").Open("th", ("scope", "row")).Element("a", scenario.NameWithoutProfile(), ("href", "#" + detail)).Close("th");
        html.Open("td").Verdict(scenario.Verdict.Outcome).Close("td");
        html.Element("td", Figures.Word(scenario.Hosting), ("class", "line")).Number(Figures.Count(scenario.Concurrency))
            .Number(Figures.Rate(scenario.ThroughputPerSecond));
        LatencyCells.Write(html, scenario.Latency);
        html.Close("tr");
        foreach (var reason in scenario.Verdict.Reasons)
        {
            html.DetailRow(Columns.Length, reason, Badges.StyleOf(scenario.Verdict.Outcome));
        }
    }

    private static void Details(HtmlWriter html, RunResult run)
    {
        html.Open("details").Element("summary", "Load model, tier, duration and remarks of each scenario");
        html.OpenTable(
            "How each scenario was run",
            Column.Words("Scenario"), Column.Words("Tier"), Column.Words("Load model"), Column.Words("Engine"),
            new("Operations"), new("Workers"), new("Lanes"), new("Duration", "ms"), Column.Words("Remarks"));
        foreach (var scenario in run.Scenarios)
        {
            html.Open("tr").RowHeader(scenario.Name).Cell(scenario.Tier).Cell(scenario.LoadModel).Cell(scenario.LoadEngine);
            html.Number(Figures.Count(scenario.Operations)).Number(Figures.Count(scenario.SignalWorkers))
                .Number(Figures.Count(scenario.Lanes));
            html.Number(Figures.Ms(scenario.DurationMs)).Cell(string.Join(" ", scenario.Notes)).Close("tr");
        }

        html.CloseTable().Close("details");
    }
}
