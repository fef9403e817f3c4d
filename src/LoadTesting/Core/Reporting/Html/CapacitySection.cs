using LoadTesting.Core.Analysis.Statistics;
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

/// <summary>A ladder drawn: throughput over requests at a time with the fitted law, and p95 over the load with the knee.</summary>
internal static class CapacityCharts
{
    private const int CurveSteps = 60;

    public static void Write(HtmlWriter html, CapacityResult capacity)
    {
        html.Open("div", ("class", "charts"));
        if (capacity.Closed is { Rungs.Count: > 0 } closed)
        {
            Throughput(capacity, closed).Write(html);
        }

        if (capacity.Open is { } open)
        {
            Latency(capacity.Name, "operations offered per second", open, rung => rung.OfferedPerSecond).Write(html);
        }
        else if (capacity.Closed is { Rungs.Count: > 0 } alone)
        {
            Latency(capacity.Name, "requests at a time", alone, rung => rung.Concurrency).Write(html);
        }

        html.Close("div");
    }

    private static Chart Throughput(CapacityResult capacity, LadderResult ladder)
    {
        var highest = ladder.Rungs.Max(rung => rung.Concurrency!.Value);
        var series = Dots(ladder, rung => rung.Concurrency, rung => rung.ThroughputPerSecond);
        if (capacity.Scalability is { Lambda: { } lambda, Sigma: { } sigma, Kappa: { } kappa })
        {
            var law = new ScalabilityFit(lambda, sigma, kappa, 0);
            var curve = Enumerable.Range(0, CurveSteps + 1).Select(step => highest * step / CurveSteps).Select(n => (n, law.ThroughputAt(n), (string?)null));
            series.Insert(0, new ChartSeries("c0", "Universal Scalability Law", [.. curve], IsLine: true));
        }

        return new Chart(
            "Throughput over requests at a time",
            ChartAxis.FromZero("requests at a time", highest),
            ChartAxis.FromZero("ops/s", series.SelectMany(one => one.Points).Max(point => point.Y)),
            series)
        {
            Marks = capacity.Scalability?.PeakConcurrency is { } peak && peak <= highest ? [new ChartMark(peak, $"N* {Figures.Rate(peak)}")] : [],
            Words = $"Throughput of {capacity.Name}: {string.Join(", ", ladder.Rungs.Select(rung => $"{CapacitySection.Load(rung)} {Figures.Rate(rung.ThroughputPerSecond)} a second"))}",
        };
    }

    private static Chart Latency(string name, string load, LadderResult ladder, Func<RungResult, double?> of)
    {
        var series = Dots(ladder, of, rung => rung.P95Ms);
        var values = series.SelectMany(one => one.Points).Select(point => point.Y).Where(value => value > 0).DefaultIfEmpty(1).ToList();
        ChartMark?[] marks =
        [
            ladder.Knee is { } knee ? new ChartMark(knee, "knee") : null,
            ladder.LastComfortable is { } last ? new ChartMark(last, "last comfortable") : null,
        ];
        return new Chart(
            "p95 over the load",
            ChartAxis.FromZero(load, ladder.Rungs.Max(rung => of(rung) ?? 0)),
            ChartAxis.Logarithmic("p95, ms", values.Min(), values.Max()),
            series)
        {
            Marks = [.. marks.OfType<ChartMark>().OrderBy(mark => mark.X)],
            Words = $"p95 of {name}: {string.Join(", ", ladder.Rungs.Select(rung => $"{CapacitySection.Load(rung)} {Figures.Ms(rung.P95Ms)} ms"))}",
        };
    }

    private static List<ChartSeries> Dots(LadderResult ladder, Func<RungResult, double?> x, Func<RungResult, double?> y)
    {
        ChartSeries Of(string style, string name, bool comfortable) => new(
            style,
            name,
            [.. ladder.Rungs.Where(rung => rung.Comfortable == comfortable && x(rung) is not null && y(rung) is not null)
                .Select(rung => (x(rung)!.Value, y(rung)!.Value, (string?)$"{CapacitySection.Load(rung)}: {Figures.Rate(rung.ThroughputPerSecond)} a second, p95 {Figures.Ms(rung.P95Ms)} ms"))],
            IsLine: false);

        return [.. new[] { Of("comfortable", "comfortable", true), Of("pressure", "under pressure", false) }.Where(series => series.Points.Count > 0)];
    }
}
