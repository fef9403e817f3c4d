using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace UnitTests.LoadTesting.Reporting;

public sealed class ComparisonRenderingTests
{
    private static readonly Comparison Sample = Comparison.Of([SampleRun.Create().As("run.json")]);

    [Fact]
    public void Every_row_of_every_table_fills_its_columns()
    {
        var tables = ComparisonTables.Of(Sample);

        Assert.Equal(
            ["Not changed, or not ranked", "Capacities", "What differs", "Compared", "Scenarios", "Phases", "Ledger",
                "Counters per operation"],
            tables.Select(table => table.Title));
        Assert.All(tables, table => Assert.All(table.Rows, row =>
            Assert.Equal(
                row.Kind is ReportRowKind.Values or ReportRowKind.Missing ? table.Columns.Count : 1, row.Cells.Count)));
    }

    [Fact]
    public void Missing_result_is_said_beside_the_present_one()
    {
        var rows = Table("Scenarios").Rows;

        var group = rows.ToList().FindIndex(row => row.Cells[0] == "delayed-burst-smoke, in process");
        var (missing, there) = (rows[group + 1], rows[group + 2]);
        Assert.Equal((ReportRowKind.Missing, "A memory", "not in this run"),
            (missing.Kind, missing.Cells[0], missing.Cells[^1]));
        Assert.Equal((ReportRowKind.Values, "B postgres", "5.90"), (there.Kind, there.Cells[0], there.Cells[1]));
    }

    [Fact]
    public void Counters_stand_side_by_side_with_a_dash_where_there_is_none()
    {
        var counters = Table("Counters per operation").Rows.Select(row => string.Join('|', row.Cells)).ToList();

        Assert.Contains("commits|–|0.333", counters);
        Assert.Contains("dominant wait|–|IO:WALSync 61.4 %", counters);
    }

    [Fact]
    public void Broken_ledger_is_shown_in_its_row()
    {
        var alike = SampleRun.Scenario("postgres", "a", 200, 8, 5, 1000);
        var other = alike with { Operations = 201, Ledger = alike.Ledger! with { Duplicate = 1 } };

        var markdown = MarkdownDocument.Render(ReportDocument.Of(Runs.Compare(Runs.Of(alike), Runs.Of(other))));

        Assert.Contains("operations: A 200, B 201; outcome: A passed, B passed, ledger not balanced.", markdown);
        Assert.Contains(
            "not ranked: operations differs (A 200, B 201); outcome differs (A passed, B passed, ledger not balanced)",
            markdown);
        Assert.Contains("| B postgres | NOT BALANCED |", markdown);
    }

    [Fact]
    public void Statement_counts_findings()
    {
        var statement = Assert.Single(ComparisonText.Statements(Sample));

        Assert.Equal(
            "B postgres against A memory: nothing is slower or faster: 2 not ranked, 4 missing.",
            statement);
    }

    [Fact]
    public void Finding_of_alike_results_carries_both_ratios()
    {
        var comparison = Runs.Compare(Runs.Of(Runs.Long()), Runs.Of(Runs.Long(perSecond: 2000)));

        Assert.Contains(
            "faster: ×2.00 /s (±10 %), ×1.00 p50 (±10 %), ×1.00 p95 (±10 %)",
            MarkdownDocument.Render(ReportDocument.Of(comparison)));
        Assert.Equal("2 runs of postgres", ComparisonText.Title(comparison));
        Assert.Equal(
            "B postgres against A postgres: 1 faster.", Assert.Single(ComparisonText.Statements(comparison)));
    }

    [Fact]
    public void Changed_rows_come_first_and_the_others_are_a_line_a_reason()
    {
        string[] names = ["a", "b", "c", "d", "e", "f"];
        ScenarioResult[] first =
            [.. names.Select(name => Runs.Long(name: name)), Runs.Long(name: "more"), Runs.Long(name: "gone")];
        var other = first.SkipLast(1).Select((scenario, index) => index switch
        {
            1 => scenario with { ThroughputPerSecond = 500, Latency = Runs.Long(medianMs: 10).Latency },
            3 => scenario with { ThroughputPerSecond = 2000 },
            6 => scenario with { Operations = 4000 },
            _ => scenario,
        });

        var comparison = Runs.Compare(Runs.Of([.. first.Select(scenario => scenario)]), Runs.Of([.. other]));
        var tables = ComparisonTables.Short(comparison);

        Assert.Equal(
            "B postgres against A postgres: 1 slower, 1 faster, 4 within the margins, 1 not ranked, 1 missing.",
            Assert.Single(ComparisonText.Statements(comparison)));
        Assert.Equal(["Changed", "Not changed, or not ranked", "Compared"], tables.Select(table => table.Title));
        Assert.Equal(
            ["b, in process", "d, in process"],
            tables[0].Rows.Where(row => row.Kind == ReportRowKind.Group).Select(row => row.Cells[0]));
        Assert.Equal(
            [
                "B postgres|within the margins|4|a, c, e, f",
                "B postgres|not ranked: operations differs (A 200, B 4,000)|1|more",
                "B postgres|only in A postgres|1|gone",
            ],
            tables[1].Rows.Select(row => string.Join('|', row.Cells)));
    }

    [Fact]
    public void Rows_of_markdown_tables_have_as_many_cells_as_their_heads()
    {
        var widths = MarkdownDocument.Render(ReportDocument.Of(Sample)).Split("\n\n")
            .Select(block =>
                block.Split('\n').Where(line => line.StartsWith('|')).Select(line => line.Count(c => c == '|'))
                    .Distinct().ToList())
            .Where(block => block.Count > 0).ToList();

        Assert.Equal(8, widths.Count);
        Assert.All(widths, block => Assert.Single(block));
    }

    [Fact]
    public void Page_is_well_formed_and_fetches_nothing()
    {
        var hostile = Comparison.Of([SampleRun.Create().As("<script>alert(1)</script>")]);

        var page = HtmlDocument.Render(ReportDocument.Of(hostile));

        Assert.DoesNotContain("<script", page);
        Assert.Contains("&lt;script&gt;", page);
        Assert.DoesNotContain("http://", page);
        Assert.DoesNotContain("https://", page);
        Assert.DoesNotContain("<link", page);
        Assert.Equal(page.Split("<tr").Length, page.Split("</tr>").Length);
        Assert.All(ComparisonTables.Of(hostile), table => Assert.Contains($">{table.Title}</h2>", page));
    }

    [Fact]
    public void Plain_tables_align_figures_to_the_right_and_text_to_the_left()
    {
        ReportTable table =
            new("T", null, [new("Name", IsNumeric: false), new("Value", "ms"), new("End", IsNumeric: false)],
            [
                new(ReportRowKind.Group, ["g"]), new(ReportRowKind.Values, ["a", "1.00", "x"]),
                new(ReportRowKind.Detail, ["why"]),
            ]);

        Assert.Equal("T\n=\n  Name  Value ms  End\ng\n  a         1.00  x\n    why\n\n", PlainTables.Render([table]));
    }

    private static ReportTable Table(string title) => ComparisonTables.Of(Sample).Single(table => table.Title == title);
}
