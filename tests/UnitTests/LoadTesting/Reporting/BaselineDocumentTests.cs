using LoadTesting.Core.Reporting.Markdown;

namespace UnitTests.LoadTesting.Reporting;

public sealed class BaselineDocumentTests
{
    private static readonly RunResult Published =
        ResultJson.Read(Repository.Text("fixtures/baselines/seed/oracle-aq-2026-03-17.json"));
    private static readonly RunResult Run = RunComposition.Complete(SampleRun.Create(), SampleRun.Create().Environment);

    [Fact]
    public void Directive_becomes_the_table_of_its_scenarios()
    {
        var document =
            BaselineDocument.Render("# Title\n\n{{summary *-capacity-c1 *-capacity-c4}}\n\nend\n", [Published]);

        Assert.StartsWith("# Title\n\n| scenario | profile |", document);
        Assert.EndsWith("|\n\nend\n", document);
        Assert.Contains(
            "| signal-roundtrip-capacity-c1 | oracle-aq | WorkflowPerfCapacity | 16 | 1 | 4,752.27 | 3.37 | 4,257.28 | "
                + "– | 4,336.38 | – | 4,359.67 | passed |", document);
        Assert.Equal(2, document.Split('\n').Count(line => line.Contains("| oracle-aq |", StringComparison.Ordinal)));
    }

    [Fact]
    public void Profiles_are_columns_in_the_order_of_the_runs()
    {
        var lines = BaselineDocument.Render("{{summary}}", [Published, Run]).Split('\n');

        var shared = Run.Scenarios.Select(scenario => scenario.NameWithoutProfile())
            .First(name => Published.Scenarios.Any(scenario => scenario.NameWithoutProfile() == name));
        Assert.Equal(
            ["oracle-aq", "memory", "postgres"],
            lines.Where(line => line.StartsWith($"| {shared} |", StringComparison.Ordinal))
                .Select(line => line.Split('|')[2].Trim()));
    }

    [Fact]
    public void Share_of_a_ceiling_stands_where_the_scenario_can_reach_it()
    {
        var lines = BaselineDocument.Render("{{shares immediate-burst-smoke*}}", [Run]).Split('\n');

        Assert.StartsWith(
            "| scenario | profile | throughput /s | of fsyncs | of commits, "
                + "1 client | of commits, many | of empty HTTP |", lines[0]);
        Assert.Equal(
            "–", Assert.Single(
                lines, line => line.StartsWith("| immediate-burst-smoke | postgres |", StringComparison.Ordinal))
            .Split('|')[^2].Trim());
        Assert.EndsWith(
            " % |", Assert.Single(
                lines, line => line.StartsWith("| immediate-burst-smoke-http | postgres |", StringComparison.Ordinal)));
    }

    [Fact]
    public void Limit_of_a_failed_search_says_so()
    {
        var run = Run
            with { Capacity = [DailyRuns.Capacity(1000) with { Sentence = "1,000/s.", Violations = ["lost is 1"] }] };

        Assert.Contains(
            "| 1,000/s. Failed: lost is 1. |", BaselineDocument.Render("{{ladders}}", [run]), StringComparison.Ordinal);
    }

    [Fact]
    public void Exclamation_mark_takes_scenarios_away()
    {
        var document = BaselineDocument.Render("{{summary !*-smoke !*-nightly}}", [Published]);

        Assert.DoesNotContain("-smoke", document);
        Assert.Contains("signal-roundtrip-soak", document);
    }

    [Fact]
    public void Every_directive_finds_something_in_a_run()
    {
        foreach (var directive in BaselineDocument.Directives)
        {
            Assert.Contains("|", BaselineDocument.Render($"{{{{{directive}}}}}", [Published, Run]));
        }
    }

    [Theory]
    [InlineData("text\n{{sumary}}", "line 2: there is no directive 'sumary'. Known: ceilings, ")]
    [InlineData("{{summary unheard-of}}", "line 1: no run holds anything for '{{summary unheard-of}}'")]
    [InlineData("see {{summary}}", "line 1: 'see {{summary}}' is neither text nor a directive")]
    [InlineData("{{summary", "is neither text nor a directive")]
    [InlineData("{{ }}", "the directive is empty")]
    public void Bad_directive_is_refused_with_its_line(string template, string message)
    {
        var refusal = Assert.Throws<FormatException>(() => BaselineDocument.Render(template, [Published]));
        Assert.Contains(message, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Last_result_of_a_scenario_stands_for_its_profile()
    {
        RunResult Half(int index) =>
            Run with { RunId = $"half {index}", Scenarios = [.. Run.Scenarios.Where((_, i) => i % 2 == index)] };
        var older =
            Run with { Scenarios = [.. Run.Scenarios.Select(scenario => scenario with { Operations = 424_242 })] };

        var document = BaselineDocument.Render("{{summary}}", [older, Half(0), Half(1)]);

        Assert.Equal(BaselineDocument.Render("{{summary}}", [Run]).Split('\n').Order(), document.Split('\n').Order());
    }
}
