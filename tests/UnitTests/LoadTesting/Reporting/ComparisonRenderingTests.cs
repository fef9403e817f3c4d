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
            ["Compared", "What differs", "Scenarios", "Capacities", "Phases", "Ledger", "Counters per operation"],
            tables.Select(table => table.Title));
        Assert.All(tables, table => Assert.All(table.Rows, row =>
            Assert.Equal(row.Kind is ComparisonRowKind.Values or ComparisonRowKind.Missing ? table.Columns.Count : 1, row.Cells.Count)));
    }

    [Fact]
    public void Result_that_a_run_does_not_hold_says_so_beside_the_one_that_it_does()
    {
        var rows = Table("Scenarios").Rows;

        var group = rows.ToList().FindIndex(row => row.Cells[0] == "delayed-burst-smoke, in process");
        var (missing, there) = (rows[group + 1], rows[group + 2]);
        Assert.Equal((ComparisonRowKind.Missing, "A memory", "not in this run"), (missing.Kind, missing.Cells[0], missing.Cells[^1]));
        Assert.Equal((ComparisonRowKind.Values, "B postgres", "5.90"), (there.Kind, there.Cells[0], there.Cells[1]));
    }

    [Fact]
    public void Counters_stand_side_by_side_with_a_dash_where_there_is_none()
    {
        var counters = Table("Counters per operation").Rows.Select(row => string.Join('|', row.Cells)).ToList();

        Assert.Contains("commits|–|0.333", counters);
        Assert.Contains("dominant wait|–|IO:WALSync 61.4 %", counters);
    }

    [Fact]
    public void Broken_account_and_difference_of_one_row_are_shown_in_their_places()
    {
        var alike = SampleRun.Scenario("postgres", "a", 200, 8, 5, 1000);
        var other = alike with { Operations = 201, Ledger = alike.Ledger! with { Duplicate = 1 } };

        var markdown = ComparisonMarkdown.Render(Runs.Compare(Runs.Of(alike), Runs.Of(other)));

        Assert.Contains("operations: A 200, B 201; outcome: A passed, B passed, ledger not balanced.", markdown);
        Assert.Contains("| B postgres | NOT BALANCED |", markdown);
    }

    [Fact]
    public void Statement_counts_findings_and_names_what_forbids_a_ranking()
    {
        var statement = Assert.Single(ComparisonWords.Statements(Sample));

        Assert.Equal(
            "B postgres against A memory: 2 scenarios are in both, 4 only in B postgres. 2 not ranked. Not known to be alike: durability.",
            statement);
    }

    [Fact]
    public void Finding_of_alike_results_carries_both_ratios()
    {
        var comparison = Runs.Compare(Runs.Of(Runs.Scenario()), Runs.Of(Runs.Scenario(perSecond: 2000)));

        Assert.Contains("faster: ×2.00 /s, ×1.00 ms", ComparisonMarkdown.Render(comparison));
        Assert.Equal("2 runs of postgres", ComparisonWords.Title(comparison));
        Assert.Equal(
            "B postgres against A postgres: 1 scenario is in both. 1 faster.", Assert.Single(ComparisonWords.Statements(comparison)));
    }

    [Fact]
    public void Rows_of_markdown_tables_have_as_many_cells_as_their_heads()
    {
        var widths = ComparisonMarkdown.Render(Sample).Split("\n\n")
            .Select(block =>
                block.Split('\n').Where(line => line.StartsWith('|')).Select(line => line.Count(c => c == '|')).Distinct().ToList())
            .Where(block => block.Count > 0).ToList();

        Assert.Equal(7, widths.Count);
        Assert.All(widths, block => Assert.Single(block));
    }

    [Fact]
    public void Page_is_well_formed_escapes_what_it_shows_and_fetches_nothing()
    {
        var hostile = Comparison.Of([SampleRun.Create().As("<script>alert(1)</script>")]);

        var page = ComparisonHtml.Render(hostile);

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
        ComparisonTable table = new("T", null, [new("Name", IsNumeric: false), new("Value", "ms"), new("End", IsNumeric: false)],
            [
                new(ComparisonRowKind.Group, ["g"]), new(ComparisonRowKind.Values, ["a", "1.00", "x"]),
                new(ComparisonRowKind.Detail, ["why"]),
            ]);

        Assert.Equal("T\n=\n  Name  Value ms  End\ng\n  a         1.00  x\n    why\n\n", PlainTables.Render([table]));
    }

    private static ComparisonTable Table(string title) => ComparisonTables.Of(Sample).Single(table => table.Title == title);
}
