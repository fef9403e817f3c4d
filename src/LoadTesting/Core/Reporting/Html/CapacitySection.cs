using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The ladders: the finding in a sentence, the load steps drawn and in a table, and what each resource would allow.
/// </summary>
internal static class CapacitySection
{
    private static readonly ReportColumn[] Steps =
    [
        Text("Load step"), Text("Verdict"), new("Throughput", "ops/s"), new("Completed of offered"), new("In flight"),
        new("p50", "ms"), new("p95", "ms"), new("n"),
    ];

    public static bool Applies(RunResult run) => run.Capacity.Count > 0;

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "A closed ladder keeps so many requests under way and shows where more of them stop paying. "
                + "An open ladder offers a rate "
            + "whatever becomes of it, climbs until a load step is under pressure, "
            + "measures a bad load step once more, and halves the "
            + "bracket: only it gives a capacity. Where the load generator gives in first there is none.");
        foreach (var capacity in run.Capacity)
        {
            html.Element("h3", capacity.Name);
            html.Open("p").Badge(Word(capacity.Outcome), Style(capacity)).Text(" " + capacity.SentenceWithViolations())
                .Close("p");
            CapacityCharts.Write(html, capacity);
            Bounds(html, capacity);
            foreach (var note in capacity.Notes)
            {
                html.Paragraph(note, "quiet");
            }

            Ladder(html, capacity.Name, capacity.Closed, "Load steps by requests at a time");
            Ladder(html, capacity.Name, capacity.Open, "Load steps by offered rate");
        }
    }

    internal static string Word(CapacityOutcome outcome) => outcome switch
    {
        CapacityOutcome.Found => "found",
        CapacityOutcome.LadderOnly => "ladder",
        CapacityOutcome.NotReached => "not reached",
        CapacityOutcome.GeneratorLimited => "generator-limited",
        _ => "none comfortable",
    };

    /// <summary>The load of a load step: its rate, or its requests at a time.</summary>
    internal static string Load(LoadStepResult step) =>
        (step.OfferedPerSecond is { } rate ? $"{Figures.Rate(rate)}/s" : $"c{Figures.Counter(step.Concurrency)}")
        + (step.Attempt > 1 ? " again" : "");

    /// <summary>That of its verdict; a ladder alone searches for nothing, and is good.</summary>
    internal static string Style(CapacityResult capacity) =>
        capacity is { Outcome: CapacityOutcome.LadderOnly } ? "good" : Badges.StyleOf(capacity.ToVerdict().Outcome);

    private static void Bounds(HtmlWriter html, CapacityResult capacity)
    {
        if (capacity.Bounds.Count == 0)
        {
            return;
        }

        HtmlDocument.Write(html, new ReportTable(
            $"What each resource allows {capacity.Name} by itself: servers / demand, at the last comfortable load step",
            null,
            [
                Text("Resource"), new("Demand", "ms/op"), new("Servers"), new("Busy"), new("Allows", "ops/s"),
                new("Of the limit"),
            ],
            [
                .. capacity.Bounds.Select(bound => ReportRow.Values(
                    bound.Resource, Figures.Ms(1000 * bound.SecondsPerOperation), Figures.Counter(bound.Servers),
                    Figures.Percent(bound.Utilisation), Figures.Rate(bound.PerSecond),
                    Figures.Percent(bound.PerSecond / capacity.LimitPerSecond))),
            ]));
    }

    private static void Ladder(HtmlWriter html, string name, LadderResult? ladder, string caption)
    {
        if (ladder is null)
        {
            return;
        }

        html.Open("details").Element("summary", caption + ", and what is comfortable");
        html.Paragraph($"Comfortable is a load step where {string.Join("; ", ladder.Criteria)}.", "quiet");
        html.OpenTable($"{caption}: {name}", Steps);
        foreach (var step in ladder.Steps)
        {
            html.Open("tr").RowHeader(Load(step)).Open("td")
                .Badge(step.Comfortable ? "comfortable" : "pressure", step.Comfortable ? "good" : "unsure").Close("td");
            html.Number(Figures.Rate(step.ThroughputPerSecond)).Number(Figures.Percent(step.CompletedShare))
                .Number(Figures.Rate(step.Concurrency));
            html.Number(Figures.Ms(step.P50Ms)).Number(Figures.Ms(step.P95Ms)).Number(Figures.Count(step.Completed))
                .Close("tr");
            foreach (var reason in step.Reasons)
            {
                html.DetailRow(Steps.Length, reason, "unsure");
            }
        }

        html.CloseTable().Close("details");
    }
}
