using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;
using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace UnitTests.LoadTesting.Reporting;

/// <summary>Names and messages are shown, and do nothing to the page or the terminal that shows them.</summary>
public sealed class VisibleTextTests
{
    private const string Hostile = "GET /users/<id>\u001b[31m \0 \u202Eabc\u2066\u009b\r\n| x";
    private const string Shown = @"GET /users/<id>\u001B[31m \u0000 \u202Eabc\u2066\u009B | x";

    [Fact]
    public void Characters_that_act_are_written_out()
    {
        Assert.Equal(Shown, VisibleText.Line(Hostile));
        Assert.Equal("Zoë 名 👍 a b", VisibleText.Line("Zoë 名 👍 a\tb"));
        Assert.Equal(@"\uD83D alone \uDC4D", VisibleText.Line("\ud83d alone \udc4d"));
        Assert.Equal(@"\u200F\u061C\uFEFF\u007F", VisibleText.Line("\u200F\u061C\uFEFF\u007F"));
    }

    [Fact]
    public void Text_of_several_lines_keeps_them() => Assert.Equal("a\nb\tc\\u000D", VisibleText.Of("a\r\nb\tc\r"));

    [Fact]
    public void Every_output_of_a_run_shows_the_name_and_nothing_that_acts()
    {
        var sample = SampleRun.Create();
        var run = sample with
        {
            Scenarios =
            [
                sample.Scenarios[0] with
                {
                    Name = $"memory-{Hostile}", Verdict = new(VerdictOutcome.Failed, [Hostile]),
                    Phases = new Dictionary<string, LatencyResult> { [Hostile] = sample.Scenarios[0].Latency },
                    Errors = [new ErrorResult("500", Hostile, 3)],
                },
                .. sample.Scenarios.Skip(1),
            ],
        };

        var markdown = SummaryMarkdown.Render(run);
        var page = HtmlReport.Render(run, []);
        var terminal = TerminalSummary.Of(run.Scenarios[0], "report.html");

        Assert.Contains(@"GET /users/&lt;id>\\u001B\[31m \\u0000 \\u202Eabc", markdown);
        Assert.Contains(@"GET /users/&lt;id&gt;\u001B[31m \u0000 \u202Eabc", page);
        Assert.Contains(Shown, terminal);
        Assert.All([markdown, page, terminal],
            text => Assert.DoesNotMatch(@"[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]", text));
        Assert.DoesNotContain("<id>", markdown);
    }

    [Fact]
    public void Tables_are_escaped_in_title_and_cells()
    {
        var table = new ReportTable(Hostile, Hostile, [new(Hostile)], [ReportRow.Values(Hostile)]);

        var document = MarkdownDocument.Render(new(Hostile, [Hostile], [table]));

        Assert.DoesNotContain("<id>", document);
        Assert.DoesNotContain('\u001b', document);
        Assert.Equal(6, Regex.Count(document, @"\\\\u202Eabc"));
    }

    [Fact]
    public void Progress_of_a_run_cannot_move_the_cursor()
    {
        var run = new RunProgressSnapshot
        {
            Process = ProcessOwner.Current, Machine = "m", BootId = "b", StartedUtc = DateTimeOffset.UnixEpoch,
            UpdatedUtc = DateTimeOffset.UnixEpoch, Subject = Hostile, Stage = RunStage.Measuring,
            Scenarios = [new ScenarioProgress { Name = Hostile }],
        };

        string[] shown = [.. ProgressText.Table(run, 200, isColoured: false), .. ProgressText.Lines(run)];

        Assert.All(shown, line => Assert.DoesNotMatch(@"[\u0000-\u001F\u202A-\u202E]", line));
        Assert.Contains(shown, line => line.Contains(@"\u001B[31m", StringComparison.Ordinal));
    }
}
