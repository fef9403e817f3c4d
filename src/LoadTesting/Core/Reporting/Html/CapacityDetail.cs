using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A search for a capacity: finding, load steps as charts and tables, the bound of each resource.</summary>
internal static class CapacityDetail
{
    private static readonly ReportColumn[] Steps =
    [
        Text("Load step"), Text("Verdict"), new("Throughput", "ops/s"), new("Completed of offered"), new("In flight"),
        new("p50", "ms"), new("p95", "ms"), new("n"),
    ];

    public static void Write(HtmlWriter html, CapacityResult capacity)
    {
        html.Paragraph(capacity.SentenceWithViolations());
        CapacityCharts.Write(html, capacity);
        Bounds(html, capacity);
        foreach (var note in capacity.Notes)
        {
            html.Paragraph(note, "quiet");
        }

        Ladder(html, capacity.Closed, "Load steps by requests at a time");
        Ladder(html, capacity.Open, "Load steps by offered rate");
    }

    /// <summary>The verdict; load steps without a search have none and count as passed.</summary>
    internal static VerdictOutcome OutcomeOf(CapacityResult capacity) =>
        capacity is { Outcome: CapacityOutcome.LadderOnly } ? VerdictOutcome.Passed : capacity.ToVerdict().Outcome;

    internal static string Word(CapacityOutcome outcome) => outcome switch
    {
        CapacityOutcome.Found => "found",
        CapacityOutcome.LadderOnly => "load steps",
        CapacityOutcome.NotReached => "not reached",
        CapacityOutcome.GeneratorLimited => "generator-limited",
        _ => "none comfortable",
    };

    /// <summary>The load of a load step: its rate, or its requests at a time.</summary>
    internal static string Load(LoadStepResult step) =>
        (step.OfferedPerSecond is { } rate ? $"{Figures.Rate(rate)}/s" : $"c{Figures.Counter(step.Concurrency)}")
        + (step.Attempt > 1 ? " again" : "");

    private static void Bounds(HtmlWriter html, CapacityResult capacity)
    {
        if (capacity.Bounds.Count == 0)
        {
            return;
        }

        HtmlDocument.Write(html, new ReportTable(
            "Bound of each resource: servers / demand, at the last comfortable load step",
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

    private static void Ladder(HtmlWriter html, LadderResult? ladder, string caption)
    {
        if (ladder is null)
        {
            return;
        }

        html.Paragraph($"Comfortable is a load step where {string.Join("; ", ladder.Criteria)}.", "quiet");
        html.OpenTable(caption, Steps);
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

        html.CloseTable();
    }
}
