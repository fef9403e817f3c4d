using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// The table of all scenarios and searches, failures first. The details of each open below its row when the address
/// names it, without script.
/// </summary>
internal static class ScenarioSection
{
    public const string Id = "scenarios";

    /// <summary>What a row shows: a scenario, or a search for a capacity.</summary>
    private sealed record Entry(
        string Name, VerdictOutcome Outcome, string Verdict, IReadOnlyList<string> Reasons, BaselineRow? Baseline,
        ScenarioResult? Scenario, CapacityResult? Capacity);

    public static void Write(HtmlWriter html, ReportInput input)
    {
        var hasBaseline = input.Rows.Any(row => row.Reference is not null);
        ReportColumn[] columns =
        [
            Text("Scenario"), Text("Verdict"), Wide(Text("Rate and p95 over time") with { Style = "text unsorted" }),
            new("Rate", "ops/s"), Wide(new("p50", "ms")), new("p95", "ms"), Wide(new("Errors")), Wide(new("n")),
            .. hasBaseline ? [Wide(Text("Against the baseline"))] : Array.Empty<ReportColumn>(),
        ];
        html.Open("p", ("class", "legend quiet wide")).Element("span", "rate", ("class", "key stroke c0")).Text("\n")
            .Element("span", "p95", ("class", "key stroke c1"))
            .Text("\n" + ReportText.Sparklines).Close("p");
        html.OpenTable(ReportText.OpenScenario, columns);
        var slugs = new HashSet<string>(RunDetails.Ids) { Id, Id + "-title" };
        foreach (var entry in InOrder(input))
        {
            var slug = Slug(entry.Name, slugs);
            Row(html, entry, slug, hasBaseline);
            html.Open("tr", ("class", "inside"), ("id", slug))
                .Open("td", ("colspan", columns.Length.ToString(CultureInfo.InvariantCulture)))
                .Open("div", ("class", "scenario-body"));
            Inside(html, input, entry, slug);
            html.Close("div").Close("td").Close("tr");
        }

        html.CloseTable();
        Remarks(html, input);
    }

    private static ReportColumn Wide(ReportColumn column) => column with { Style = column.Style + " wide" };

    private static IEnumerable<Entry> InOrder(ReportInput input) => input.Run.Scenarios
        .Select(scenario => new Entry(
            scenario.Name, scenario.Verdict.Outcome, Figures.Word(scenario.Verdict.Outcome), scenario.Verdict.Reasons,
            input.BaselineOf(scenario), scenario, null))
        .Concat(input.Run.Capacity.Select(capacity => new Entry(
            capacity.Name, CapacityDetail.OutcomeOf(capacity), CapacityDetail.Word(capacity.Outcome),
            CapacityDetail.OutcomeOf(capacity) == VerdictOutcome.Passed ? [] : capacity.ToVerdict().Reasons, null, null,
            capacity)))
        .OrderBy(entry => Rank(entry.Outcome))
        .ThenBy(entry => entry.Baseline is { } row && BaselineText.IsWorse(row) ? 0 : 1);

    private static int Rank(VerdictOutcome outcome) => outcome switch
    {
        VerdictOutcome.Failed => 0,
        VerdictOutcome.Inconclusive => 1,
        _ => 2,
    };

    /// <summary>The name as an address of the page, with a number if another scenario has it already.</summary>
    private static string Slug(string name, HashSet<string> taken)
    {
        var slug = string.Concat(name.Select(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.' ? c : '-'));
        var unique = slug;
        for (var number = 2; !taken.Add(unique); number++)
        {
            unique = $"{slug}-{number}";
        }

        return unique;
    }

    private static void Row(HtmlWriter html, Entry entry, string slug, bool hasBaseline)
    {
        html.Open("tr", ("id", slug + ":row")).Open("th", ("scope", "row"))
            .Element("a", entry.Name, ("href", "#" + slug));
        if (entry.Reasons is [var reason, ..])
        {
            var more = entry.Reasons.Count == 1 ? "" : $" And {Quantity.Of(entry.Reasons.Count - 1, "more reason")}.";
            html.Element("span", reason + more, ("class", "reason " + Badges.StyleOf(entry.Outcome)));
        }

        html.Close("th").Open("td", ("data-sort", Number(Rank(entry.Outcome))))
            .Badge(entry.Verdict, Badges.StyleOf(entry.Outcome)).Close("td");
        if (entry.Scenario is { } scenario)
        {
            Cells(html, scenario);
        }
        else
        {
            Cells(html, entry.Capacity!);
        }

        if (hasBaseline)
        {
            Baseline(html, entry.Baseline);
        }

        html.Close("tr");
    }

    private static void Cells(HtmlWriter html, ScenarioResult scenario)
    {
        html.Open("td", ("class", "wide spark"));
        Sparkline.Write(html, scenario);
        html.Close("td").Number(Figures.Rate(scenario.ThroughputPerSecond));
        Wide(html, Figures.Ms(scenario.Latency.P50Ms));
        html.Open("td", ("class", "number")).Text(Figures.Ms(scenario.Latency.P95Ms));
        if (RunTiles.P95LimitOf(scenario) is { } limit)
        {
            html.Element("span", $"of {Figures.Counter(limit)}", ("class", "unit"));
        }

        html.Close("td");
        Wide(html, Figures.Count(RunTiles.ErrorsOf(scenario).Sum(error => error.Count)));
        Wide(html, Figures.Count(scenario.Latency.N));
    }

    private static void Cells(HtmlWriter html, CapacityResult capacity)
    {
        html.Element("td", "search for the capacity", ("class", "wide quiet"))
            .Number(Figures.Rate(capacity.LimitPerSecond));
        Wide(html, Figures.Absent);
        html.Number(Figures.Absent);
        Wide(html, Figures.Absent);
        Wide(html, Figures.Absent);
    }

    private static void Wide(HtmlWriter html, string text) => html.Element("td", text,
        ("class", text is "0" or Figures.Absent ? "number nothing wide" : "number wide"));

    private static void Baseline(HtmlWriter html, BaselineRow? row)
    {
        html.Open("td", ("class", "wide baseline"), ("data-sort", Number(ComparisonText.Rank(
            row?.Finding ?? ComparisonFinding.Missing))));
        if (row is null || row.Finding is ComparisonFinding.Missing or ComparisonFinding.NotRanked)
        {
            html.Element("span", Figures.Absent, ("class", "nothing"));
        }
        else if (BaselineText.Style(row.Finding) is { } style)
        {
            html.Badge(BaselineText.Word(row.Finding), style).Element("span", BaselineText.Change(row),
                ("class", "unit"));
        }
        else
        {
            html.Element("span", BaselineText.Change(row), ("class", "unit"));
        }

        html.Close("td");
    }

    private static void Inside(HtmlWriter html, ReportInput input, Entry entry, string slug)
    {
        html.Open("div", ("class", "scenario-head")).Element("h3", entry.Name)
            .Element("a", "Close", ("href", $"#{slug}:row")).Close("div");
        foreach (var reason in entry.Reasons)
        {
            html.Paragraph(reason, "reason " + Badges.StyleOf(entry.Outcome));
        }

        if (entry.Scenario is { } scenario)
        {
            ScenarioDetail.Write(html, input, scenario);
        }
        else
        {
            CapacityDetail.Write(html, entry.Capacity!);
        }
    }

    private static void Remarks(HtmlWriter html, ReportInput input)
    {
        var run = input.Run;
        string?[] remarks =
        [
            Batches(run.Scenarios), BaselineText.Remarks(input.Rows), Headline.NoRanking(run), .. run.Notes,
        ];
        foreach (var remark in remarks.OfType<string>())
        {
            html.Paragraph(remark, "quiet");
        }
    }

    /// <summary>The latency of a batch is mostly the wait for its other operations; null without batches.</summary>
    private static string? Batches(IEnumerable<ScenarioResult> scenarios)
    {
        // The note comes from the scenario itself.
        var batches = scenarios.Count(
            scenario => scenario.Notes.Any(note => note.StartsWith("A batch:", StringComparison.Ordinal)));
        return batches == 0 ? null
            : ReportText.Batches(batches);
    }

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
