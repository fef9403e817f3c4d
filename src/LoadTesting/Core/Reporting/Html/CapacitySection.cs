using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The ladders: the finding in a sentence, the rungs drawn and in a table, the estimators side by side, what each resource would allow.</summary>
internal static class CapacitySection
{
    private static readonly Column[] Rungs =
    [
        Column.Words("Rung"), Column.Words("Verdict"), new("Throughput", "ops/s"), new("Completed of offered"), new("In flight"), new("p50", "ms"), new("p95", "ms"), new("n"),
    ];

    public static bool Applies(RunResult run) => run.Capacity.Count > 0;

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "A closed ladder keeps so many requests under way and shows where more of them stop paying. An open ladder offers a rate whatever becomes of it, climbs until a rung " +
            "is under pressure, measures a bad rung once more, and halves the bracket: only it gives a capacity. Where the load generator gives in first there is none.");
        foreach (var capacity in run.Capacity)
        {
            html.Element("h3", capacity.Name);
            html.Open("p").Badge(Word(capacity.Outcome), Style(capacity.Outcome)).Text(" " + capacity.Sentence).Close("p");
            CapacityCharts.Write(html, capacity);
            Estimates(html, capacity);
            Bounds(html, capacity);
            foreach (var note in capacity.Notes)
            {
                html.Paragraph(note, "quiet");
            }

            Ladder(html, capacity.Closed, "Rungs by requests at a time");
            Ladder(html, capacity.Open, "Rungs by offered rate");
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

    /// <summary>The load of a rung in words: its rate, or its requests at a time.</summary>
    internal static string Load(RungResult rung) =>
        (rung.OfferedPerSecond is { } rate ? $"{Figures.Rate(rate)}/s" : $"c{Figures.Counter(rung.Concurrency)}") + (rung.Attempt > 1 ? " again" : "");

    private static string Style(CapacityOutcome outcome) => outcome switch
    {
        CapacityOutcome.Found or CapacityOutcome.LadderOnly => "good",
        _ => "unsure",
    };

    private static void Estimates(HtmlWriter html, CapacityResult capacity)
    {
        html.OpenTable("Three estimators side by side", Column.Words("Estimator"), new("Capacity", "ops/s"), Column.Words("Why not"));
        foreach (var estimate in capacity.Estimates)
        {
            var name = estimate.Method switch { "criteria" => "criteria of the rungs", "universalScalability" => "Universal Scalability Law", _ => "Kneedle on p95" };
            html.Open("tr").RowHeader(name).Number(Figures.Rate(estimate.PerSecond)).Cell(estimate.Reason ?? "").Close("tr");
        }

        html.CloseTable();
        if (capacity.Scalability is { Lambda: not null } law)
        {
            html.Paragraph(
                $"λ {Figures.Rate(law.Lambda)}/s, σ {Figures.Counter(law.Sigma)}, κ {law.Kappa!.Value.ToString("0.######", System.Globalization.CultureInfo.InvariantCulture)}, scatter {Figures.Percent(law.Noise)}"
                + (law.PeakConcurrencyInterval is { } interval ? $"; greatest throughput at {Figures.Rate(law.PeakConcurrency)} at a time (95 % {Figures.Rate(interval.Low)} .. {Figures.Rate(interval.High)})" : "")
                + $". {string.Join(" ", law.Notes)}", "quiet");
        }
    }

    private static void Bounds(HtmlWriter html, CapacityResult capacity)
    {
        if (capacity.Bounds.Count == 0)
        {
            return;
        }

        html.OpenTable(
            "What each resource allows by itself: servers / demand, at the last comfortable rung",
            Column.Words("Resource"), new("Demand", "ms/op"), new("Servers"), new("Busy"), new("Allows", "ops/s"), new("Of the limit"));
        foreach (var bound in capacity.Bounds)
        {
            html.Open("tr").RowHeader(bound.Resource).Number(Figures.Ms(1000 * bound.SecondsPerOperation)).Number(Figures.Counter(bound.Servers));
            html.Number(Figures.Percent(bound.Utilisation)).Number(Figures.Rate(bound.PerSecond));
            html.Number(Figures.Percent(bound.PerSecond / capacity.LimitPerSecond)).Close("tr");
        }

        html.CloseTable();
    }

    private static void Ladder(HtmlWriter html, LadderResult? ladder, string caption)
    {
        if (ladder is null)
        {
            return;
        }

        html.Open("details").Element("summary", caption + ", and what is comfortable");
        html.Paragraph($"Comfortable is a rung where {string.Join("; ", ladder.Criteria)}.", "quiet");
        html.OpenTable(caption, Rungs);
        foreach (var rung in ladder.Rungs)
        {
            html.Open("tr").RowHeader(Load(rung)).Open("td").Badge(rung.Comfortable ? "comfortable" : "pressure", rung.Comfortable ? "good" : "unsure").Close("td");
            html.Number(Figures.Rate(rung.ThroughputPerSecond)).Number(Figures.Percent(rung.CompletedShare)).Number(Figures.Rate(rung.Concurrency));
            html.Number(Figures.Ms(rung.P50Ms)).Number(Figures.Ms(rung.P95Ms)).Number(Figures.Count(rung.Completed)).Close("tr");
            foreach (var reason in rung.Reasons)
            {
                html.DetailRow(Rungs.Length, reason, "unsure");
            }
        }

        html.CloseTable().Close("details");
    }
}
