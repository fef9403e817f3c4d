using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Markdown;

namespace UnitTests.LoadTesting.Reporting;

public sealed class SummaryTests
{
    [Fact]
    public void Summary_begins_with_the_verdicts()
    {
        var headings = SummaryMarkdown.Render(SampleRun.Create()).Split('\n')
            .Where(line => line.StartsWith("## ", StringComparison.Ordinal));

        Assert.Equal(
            [
                "## Verdicts", "## Phases", "## Stalls, thresholds and errors", "## Findings", "## Capacity",
                "## Ledger", "## Validity",
                "## Not exercised", "## Environment",
            ],
            headings);
    }

    [Fact]
    public void Scenarios_are_sorted_by_name_and_number()
    {
        string[] ended = ["ladder-c16", "burst", "ladder-c4-xl", "ladder-c4", "ladder-c1"];
        var run = SampleRun.Create()
            with { Scenarios = [.. ended.Select(name => SampleRun.Scenario("memory", name, 10, 1, 1, 1))] };

        foreach (var text in (string[])[SummaryMarkdown.Render(run), HtmlReport.Render(run)])
        {
            Assert.Equal(["burst", "ladder-c1", "ladder-c4", "ladder-c4-xl", "ladder-c16"],
                ended.OrderBy(name => text.IndexOf($"memory-{name}", StringComparison.Ordinal)));
        }
    }

    [Fact]
    public void Every_row_of_a_table_has_the_columns_of_its_header()
    {
        var scenario = SampleRun.Create().Scenarios[0] with { Name = "memory-a|b\n| c <i>`x`", Profile = "memory" };
        var lines = SummaryMarkdown.Render(SampleRun.Create() with { Scenarios = [scenario] }).Split('\n');
        var width = 0;
        var rows = 0;
        for (var line = 0; line < lines.Length; line++)
        {
            if (!lines[line].StartsWith('|'))
            {
                continue;
            }

            rows++;
            width = lines[line - 1].StartsWith('|') ? width : Columns(lines[line]);
            Assert.Equal(width, Columns(lines[line]));
        }

        Assert.True(rows > 10);
        Assert.DoesNotContain("<i>", string.Concat(lines), StringComparison.Ordinal);
    }

    [Fact]
    public void A_scenario_is_one_row_with_its_figures()
    {
        var run = SampleRun.Create();
        var scenario = run.Scenarios[4] with
        {
            Latency =
                new LatencyResult { N = 24, AverageMs = 6.126, P50Ms = 5.7, P95Ms = 7.77, P99Ms = 8.05, MaxMs = 8.05 },
        };

        var summary = SummaryMarkdown.Render(run with { Scenarios = [scenario] });

        Assert.Contains(
            "| postgres-immediate-burst-smoke | WorkflowPerfSmoke | in process | 24 | 1,834 | 6.13 | 5.70 | "
                + "7.77 | 8.05 | 8.05 | passed |",
            summary, StringComparison.Ordinal);
    }

    [Fact]
    public void Validity_row_names_what_failed()
    {
        var run = SampleRun.Create();
        var sound = run.Scenarios[0];
        var invalid = sound with
        {
            Name = "memory-broken",
            Validity = sound.Validity! with { Checks = [CheckResult.AtMost(
                "lostSignals", CheckSubject.System, 2, 0, $"2 signals unaccounted for")] },
        };

        var summary = SummaryMarkdown.Render(run with { Scenarios = [sound, invalid] });

        Assert.Contains($"| {sound.Name} | yes | 2 of 2 | 0.098 | 0.096 | 2.44 % | 8.33 % | 1 |", summary,
            StringComparison.Ordinal);
        Assert.Contains("| memory-broken | **no** | 0 of 1 |", summary, StringComparison.Ordinal);
        Assert.Contains("- memory-broken: lostSignals: 2 signals unaccounted for\n", summary, StringComparison.Ordinal);
        Assert.Contains(
            "- memory-broken: 3.1 % of the processor time went to others of the hypervisor, 2 % allowed\n", summary,
            StringComparison.Ordinal);
        Assert.Contains(
            "- memory-broken: workingSet, MiB: 200.27, growth 1.34 (99 %: 0.860 to 1.81), allowed 20.03\n", summary,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Findings_name_the_bottleneck_with_its_share()
    {
        var summary = SummaryMarkdown.Render(SampleRun.Create());

        Assert.Contains("; at 1,834 operations/s (immediate-burst-smoke) WAL flush comes first, with ", summary,
            StringComparison.Ordinal);
        Assert.Contains(
            "next would be service CPU, at 11,463/s. Change first: Let more operations share a commit", summary,
            StringComparison.Ordinal);
        Assert.Contains(
            "| 1. WAL flush 50.3 %, high confidence; 2. service queue 25.0 %, low confidence | stalls, "
                + "service CPU, database CPU, ", summary, StringComparison.Ordinal);
        Assert.Contains("- Not examined: database CPU, WAL flush, ", summary, StringComparison.Ordinal);
        Assert.Contains("This profile has no database.", summary, StringComparison.Ordinal);
    }

    [Fact]
    public void What_was_left_out_is_listed_with_reason_and_command()
    {
        var summary = SummaryMarkdown.Render(SampleRun.Create());

        Assert.Contains("| mongo | no MongoDB server | docker pull mongo:7.0", summary, StringComparison.Ordinal);
    }

    [Fact]
    public void The_terminal_lines_tell_verdict_figures_ledger_and_report()
    {
        var scenario = SampleRun.Create().Scenarios[4] with
        {
            Latency =
                new LatencyResult { N = 24, AverageMs = 6.1, P50Ms = 5.7, P95Ms = 7.77, P99Ms = 8.05, MaxMs = 8.05 },
            Phases = new Dictionary<string, LatencyResult> { ["start"] = new() { N = 24, P50Ms = 2.31 } },
        };

        string[] expected =
        [
            "PASSED postgres-immediate-burst-smoke (in process): n 24, 1,834/s, p50 5.70 ms, p95 7.77 ms, max 8.05 ms",
            "  phases p50: start 2.31 ms",
            "  ledger: requested 24, started 24, completed 24, balanced",
            "  report: /results/report.html",
        ];
        Assert.Equal(expected, TerminalSummary.Of(scenario, "/results/report.html").Split('\n'));
    }

    [Fact]
    public void Line_of_a_passed_scenario_is_one_line()
    {
        var scenario = SampleRun.Create().Scenarios[4];

        Assert.Equal(TerminalSummary.Of(scenario, "r").Split('\n')[0], TerminalSummary.Line(scenario));
    }

    [Fact]
    public void Line_of_a_failure_is_followed_by_its_reasons()
    {
        var lines = TerminalSummary.Line(SampleRun.Create().Scenarios[^2]).Split('\n');

        Assert.StartsWith("FAILED", lines[0], StringComparison.Ordinal);
        Assert.Equal(3, lines.Skip(1).Count(line => line.StartsWith("  ! ", StringComparison.Ordinal)));
    }

    [Fact]
    public void Run_ends_with_ten_lines_at_most()
    {
        var run = SampleRun.Create() with { Partial = "somebody interrupted it" };
        var worst = run.Scenarios.MaxBy(scenario => scenario.Latency.P95Ms)!;

        var lines = TerminalSummary.Of(run, "/results/report.html").Split('\n');

        Assert.InRange(lines.Length, 6, 10);
        Assert.StartsWith("FAILED ", lines[0], StringComparison.Ordinal);
        Assert.Contains(" inconclusive", lines[0], StringComparison.Ordinal);
        Assert.Contains(lines, line => line.StartsWith("  operations:    ", StringComparison.Ordinal)
            && line.Contains(" completed, ", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith("  worst p95:     ", StringComparison.Ordinal)
            && line.Contains(worst.Name, StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith("  not exercised: ", StringComparison.Ordinal)
            && line.Contains("mongo", StringComparison.Ordinal));
        Assert.Equal("  report:        /results/report.html", lines[^1]);
    }

    [Fact]
    public void Run_without_results_has_no_verdict()
    {
        var run = SampleRun.Create() with { Scenarios = [], Capacity = [], NotExercised = [] };

        var lines = TerminalSummary.Of(run, "r").Split('\n');

        Assert.StartsWith("NO VERDICT 0 scenarios", lines[0], StringComparison.Ordinal);
        Assert.Contains("  not exercised: nothing", lines);
    }

    [Fact]
    public void The_terminal_lines_of_a_failure_give_every_reason()
    {
        var lines = TerminalSummary.Of(SampleRun.Create().Scenarios[^2], "r").Split('\n');

        Assert.StartsWith("FAILED", lines[0], StringComparison.Ordinal);
        Assert.Equal(3, lines.Count(line => line.StartsWith("  ! ", StringComparison.Ordinal)));
        Assert.Contains(lines, line => line.EndsWith("NOT BALANCED", StringComparison.Ordinal));
    }

    [Fact]
    public void Summary_names_stalls_thresholds_and_errors()
    {
        string[] remarks =
        [
            "stall: nothing completed for 1,480.20 ms from 0.41 s on, 4 in flight; cause: system",
            "threshold p99Ms <= 50: too few samples to judge (n = 12)", "2 failed: 503 too busy",
        ];
        var scenario =
            SampleRun.Create().Scenarios.First(scenario => scenario.Name == "postgres-synthetic-external-resume-smoke");

        var summary = SummaryMarkdown.Render(SampleRun.Create()).Replace("&lt;", "<", StringComparison.Ordinal);
        Assert.All(
            remarks, remark => Assert.Contains($"- {scenario.Name}: {remark}", summary, StringComparison.Ordinal));
    }

    private static int Columns(string row) => row.Replace("\\|", "", StringComparison.Ordinal).Count(c => c == '|');

    [Fact]
    public void Run_of_searches_alone_leads_with_their_results()
    {
        var run = SampleRun.Create();
        run = run with { Scenarios = [] };

        Assert.Contains("The run searched for capacities only.", SummaryMarkdown.Render(run), StringComparison.Ordinal);
        Assert.Matches("<h1>[0-9]+ of [0-9]+ scenarios? (is|are) inconclusive", HtmlReport.Render(run));
    }

    [Theory]
    [InlineData("All 2 scenarios passed.", "good", 1000.0)]
    [InlineData("1 of 2 scenarios failed.", "bad", null)]
    [InlineData("1 of 2 scenarios failed.", "bad", 1000.0, "lost is 1")]
    public void Capacity_search_counts_in_the_title(
        string title, string style, double? limit, params string[] violations)
    {
        var run = Runs.Of(Runs.Scenario())
            with { Capacity = [DailyRuns.Capacity(limit) with { Open = null, Violations = violations }] };

        var page = HtmlReport.Render(run);

        Assert.Contains($"<h1>{title}</h1>", page, StringComparison.Ordinal);
        Assert.Contains($"class=\"badge {style}\">{(limit is null ? "none comfortable" : "found")}<", page,
            StringComparison.Ordinal);
    }
}
