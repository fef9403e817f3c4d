namespace LoadTesting.Core.Reporting.Live;

/// <summary>What a run is doing, as text: a table of a given width for terminals, a line for logs.</summary>
public static class ProgressText
{
    private const int MinNameWidth = 8;
    private const string Gap = "  ";

    /// <summary>
    /// The columns, in their order; the greatest rank is the first to go where the width does not suffice.
    /// </summary>
    private static readonly (string Heading, int Rank, Func<ScenarioProgress, string> Cell)[] Columns =
    [
        ("rate/s", 1, scenario => Rate(scenario.StartedPerSecond)),
        ("of", 4, scenario => scenario.IntendedPerSecond is { } intended ? Rate(intended) : "-"),
        ("p50 ms", 3, scenario => Figures.Ms(scenario.P50Ms)),
        ("p95 ms", 1, scenario => Figures.Ms(scenario.P95Ms)),
        ("errors", 2, scenario => Figures.Count(scenario.Failed)),
        ("dropped", 6, scenario => Figures.Count(scenario.Dropped)),
        ("in flight", 5, scenario => Figures.Count(scenario.InFlight)),
        ("done", 7, scenario => Figures.Count(scenario.Completed)),
        ("left", 0, Left),
    ];

    /// <summary>
    /// The table by lines, none longer than the width: title, a row for each scenario, generator, results.
    /// </summary>
    /// <param name="width">Characters of a line, at least 20.</param>
    /// <param name="isColoured">
    /// Whether what is wrong is red and headings are grey; escape sequences do not count as width.
    /// </param>
    public static IReadOnlyList<string> Table(RunProgressSnapshot run, int width, bool isColoured)
    {
        width = Math.Max(20, width);
        var lines = new List<string> { Fit(Title(run), width) };
        if (run.Scenarios.Count > 0)
        {
            var (columns, name) = Choose(run.Scenarios, width);
            lines.Add(
                Paint(Row("scenario", columns.Select(column => column.Heading), columns, name), "90", isColoured));
            foreach (var scenario in run.Scenarios)
            {
                var row = Row(scenario.Name, columns.Select(column => column.Cells[scenario]), columns, name);
                lines.Add(Paint(row, "31", isColoured && scenario.Failed + scenario.Dropped > 0));
            }

            var trouble = run.GeneratorTrouble();
            lines.Add(
                Paint(Fit(string.Join(", ", Generator(run, trouble)), width), "33", isColoured && trouble is not null));
        }

        if (run.Counts().All > 0)
        {
            lines.Add(Paint(Fit(Results(run), width), "31", isColoured && run.Counts().Failed > 0));
        }

        return lines;
    }

    /// <summary>The same in plain lines without escape sequences, one for each scenario that runs.</summary>
    public static IReadOnlyList<string> Lines(RunProgressSnapshot run)
    {
        if (run.Scenarios.Count == 0)
        {
            return run.Subject is null ? [] : [VisibleText.Line(Title(run))];
        }

        return
        [
            .. run.Scenarios.Select(scenario => VisibleText.Line(string.Join(", ",
            [
                $"{scenario.Name}: {Stage(run)}, {Rate(scenario.StartedPerSecond)}/s"
                    + (scenario.IntendedPerSecond is { } intended ? $" of {Rate(intended)}/s" : ""),
                $"p50 {Figures.Ms(scenario.P50Ms)} ms", $"p95 {Figures.Ms(scenario.P95Ms)} ms",
                $"{Figures.Count(scenario.Completed)} done",
                Quantity.Of(scenario.Failed, "error"), $"{Figures.Count(scenario.Dropped)} dropped",
                $"{Figures.Count(scenario.InFlight)} in flight",
                .. Generator(run, run.GeneratorTrouble()), $"{Left(scenario)} left",
            ]))),
        ];
    }

    /// <summary>How many scenarios were measured, by verdict.</summary>
    public static string Results(RunProgressSnapshot run) =>
        run.State == RunState.Running
            ? $"{run.Counts().Number()} so far: {run.Counts().Verdicts()}" : $"{run.Counts()}";

    private static IEnumerable<string> Generator(RunProgressSnapshot run, string? trouble)
    {
        yield return $"generator {trouble ?? "ok"}";
        if (run.Scenarios.Max(scenario => scenario.LagP99Ms) is { } lag)
        {
            yield return $"lag p99 {Figures.Ms(lag)} ms";
        }

        if (run.Cpu?.Generator is { } cpu)
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"cpu {100 * cpu:0} %");
        }

        if (run.Backlog is { } backlog)
        {
            yield return $"backlog {Figures.Count((long)backlog)}";
        }
    }

    private static string Title(RunProgressSnapshot run) => run.Stage == RunStage.Waiting
        ? TerminalText.WaitsFor(run.Subject, Span(run.StageSeconds))
        : $"{run.Subject ?? "wfperf"}: {Stage(run)}";

    private static string Stage(RunProgressSnapshot run) => TerminalText.Stage(run.Stage, Span(run.StageSeconds));

    private static string Left(ScenarioProgress scenario) =>
        scenario.RemainingSeconds() is { } seconds ? Span(seconds) : "-";

    /// <summary>9s, 1:05, 2:01:05.</summary>
    internal static string Span(double seconds)
    {
        var time = TimeSpan.FromSeconds(Math.Round(Math.Max(0, seconds)));
        return time < TimeSpan.FromMinutes(1) ? string.Create(CultureInfo.InvariantCulture, $"{time.Seconds}s")
            : time < TimeSpan.FromHours(1)
                ? string.Create(CultureInfo.InvariantCulture, $"{time.Minutes}:{time.Seconds:00}")
            : string.Create(
                CultureInfo.InvariantCulture, $"{(int)time.TotalHours}:{time.Minutes:00}:{time.Seconds:00}");
    }

    private static string Rate(double perSecond) =>
        perSecond.ToString(perSecond < 10 ? "0.0" : "#,0", CultureInfo.InvariantCulture);

    private static (IReadOnlyList<Column> Columns, int Name) Choose(
        IReadOnlyList<ScenarioProgress> scenarios, int width)
    {
        var columns = Columns.Select(column =>
        {
            var cells = scenarios.ToDictionary(scenario => scenario, column.Cell);
            return new Column(column.Heading, column.Rank, cells,
                Math.Max(column.Heading.Length, cells.Values.Max(cell => cell.Length)));
        }).ToList();
        var longest = Math.Max(MinNameWidth, scenarios.Max(scenario => scenario.Name.Length));
        while (columns.Count > 1 && Needed() + Math.Min(longest, Math.Max(MinNameWidth, width / 3)) > width)
        {
            columns.Remove(columns.MaxBy(column => column.Rank)!);
        }

        return (columns, Math.Clamp(width - Needed(), 1, longest));

        int Needed() => columns.Sum(column => Gap.Length + column.Width);
    }

    private static string Row(string name, IEnumerable<string> cells, IReadOnlyList<Column> columns, int width) =>
        string.Join(
        Gap, cells.Select((cell, index) => cell.PadLeft(columns[index].Width))
            .Prepend(Fit(name, width).PadRight(width)));

    private static string Fit(string text, int width) =>
        VisibleText.Line(text) is var line && line.Length <= width ? line : line[..(width - 1)] + "…";

    private static string Paint(string text, string colour, bool isColoured) =>
        isColoured ? $"\u001b[{colour}m{text}\u001b[0m" : text;

    private sealed record Column(string Heading, int Rank, Dictionary<ScenarioProgress, string> Cells, int Width);
}
