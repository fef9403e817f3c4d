namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The ladders: the finding in a sentence, the load steps drawn and in a table, and what each resource would allow.
/// </summary>
internal static class CapacitySection
{
    private static readonly Column[] Steps =
    [
        Column.Words("Load step"), Column.Words("Verdict"), new("Throughput", "ops/s"), new("Completed of offered"), new("In flight"),
        new("p50", "ms"), new("p95", "ms"), new("n"),
    ];

    public static bool Applies(RunResult run) => run.Capacity.Count > 0;

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Paragraph(
            "A closed ladder keeps so many requests under way and shows where more of them stop paying. An open ladder offers a rate "
            + "whatever becomes of it, climbs until a load step is under pressure, measures a bad load step once more, and halves the "
            + "bracket: only it gives a capacity. Where the load generator gives in first there is none.");
        foreach (var capacity in run.Capacity)
        {
            html.Element("h3", capacity.Name);
            html.Open("p").Badge(Word(capacity.Outcome), Style(capacity)).Text(" " + CapacityWords.Of(capacity)).Close("p");
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

        html.OpenTable(
            $"What each resource allows {capacity.Name} by itself: servers / demand, at the last comfortable load step",
            Column.Words("Resource"), new("Demand", "ms/op"), new("Servers"), new("Busy"), new("Allows", "ops/s"), new("Of the limit"));
        foreach (var bound in capacity.Bounds)
        {
            html.Open("tr").RowHeader(bound.Resource).Number(Figures.Ms(1000 * bound.SecondsPerOperation))
                .Number(Figures.Counter(bound.Servers));
            html.Number(Figures.Percent(bound.Utilisation)).Number(Figures.Rate(bound.PerSecond));
            html.Number(Figures.Percent(bound.PerSecond / capacity.LimitPerSecond)).Close("tr");
        }

        html.CloseTable();
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
            html.Number(Figures.Ms(step.P50Ms)).Number(Figures.Ms(step.P95Ms)).Number(Figures.Count(step.Completed)).Close("tr");
            foreach (var reason in step.Reasons)
            {
                html.DetailRow(Steps.Length, reason, "unsure");
            }
        }

        html.CloseTable().Close("details");
    }
}

/// <summary>A ladder drawn: throughput over requests at a time, and p95 over the load.</summary>
internal static class CapacityCharts
{
    public static void Write(HtmlWriter html, CapacityResult capacity)
    {
        html.Open("div", ("class", "charts"));
        if (capacity.Closed is { Steps.Count: > 0 } closed)
        {
            Throughput(capacity, closed).Write(html);
        }

        if (capacity.Open is { } open)
        {
            Latency(capacity.Name, "operations offered per second", open, step => step.OfferedPerSecond).Write(html);
        }
        else if (capacity.Closed is { Steps.Count: > 0 } alone)
        {
            Latency(capacity.Name, "requests at a time", alone, step => step.Concurrency).Write(html);
        }

        html.Close("div");
    }

    private static Chart Throughput(CapacityResult capacity, LadderResult ladder)
    {
        var highest = ladder.Steps.Max(step => step.Concurrency!.Value);
        var series = Dots(ladder, step => step.Concurrency, step => step.ThroughputPerSecond);
        return new Chart(
            "Throughput over requests at a time",
            ChartAxis.FromZero("requests at a time", highest),
            ChartAxis.FromZero("ops/s", series.SelectMany(one => one.Points).Max(point => point.Y)),
            series)
        {
            Words = $"Throughput of {capacity.Name}: "
                + string.Join(
                    ", ", ladder.Steps.Select(step => $"{CapacitySection.Load(step)} {Figures.Rate(step.ThroughputPerSecond)} a second")),
        };
    }

    private static Chart Latency(string name, string load, LadderResult ladder, Func<LoadStepResult, double?> of)
    {
        var series = Dots(ladder, of, step => step.P95Ms);
        var values = series.SelectMany(one => one.Points).Select(point => point.Y).Where(value => value > 0).DefaultIfEmpty(1).ToList();
        return new Chart(
            "p95 over the load",
            ChartAxis.FromZero(load, ladder.Steps.Max(step => of(step) ?? 0)),
            ChartAxis.Logarithmic("p95, ms", values.Min(), values.Max()),
            series)
        {
            Marks = ladder.LastComfortable is { } last ? [new ChartMark(last, "last comfortable")] : [],
            Words = $"p95 of {name}: "
                + $"{string.Join(", ", ladder.Steps.Select(step => $"{CapacitySection.Load(step)} {Figures.Ms(step.P95Ms)} ms"))}",
        };
    }

    private static List<ChartSeries> Dots(LadderResult ladder, Func<LoadStepResult, double?> x, Func<LoadStepResult, double?> y)
    {
        ChartSeries Of(string style, string name, bool comfortable) => new(
            style,
            name,
            [.. ladder.Steps.Where(step => step.Comfortable == comfortable && x(step) is not null && y(step) is not null)
                .Select(step => (x(step)!.Value, y(step)!.Value,
                    (string?)(CapacitySection.Load(step)
                        + $": {Figures.Rate(step.ThroughputPerSecond)} a second, p95 {Figures.Ms(step.P95Ms)} ms")))],
            IsLine: false);

        return [.. new[] { Of("comfortable", "comfortable", true), Of("pressure", "under pressure", false) }
            .Where(series => series.Points.Count > 0)];
    }
}
