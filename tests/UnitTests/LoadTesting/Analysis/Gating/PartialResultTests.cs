using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Reporting.Markdown;

namespace UnitTests.LoadTesting.Analysis.Gating;

/// <summary>What somebody interrupted is kept, and vouches for nothing.</summary>
public sealed class PartialResultTests
{
    private const string Words = "the run was interrupted";

    private static ComparisonSource Whole { get; } = Sides.Run(Sides.Scenario());

    /// <summary>Every scenario in it passed; others were not run any more.</summary>
    private static ComparisonSource Interrupted { get; } = Whole with { Run = Whole.Run with { Partial = Words } };

    [Fact]
    public void Partial_run_does_not_pass_the_gate()
    {
        Assert.Equal(GateVerdict.NotRegressed, StoredGate.Judge([Whole], Whole).Verdict);

        var candidate = StoredGate.Judge([Whole], Interrupted);
        Assert.Equal(GateVerdict.Inconclusive, candidate.Verdict);
        Assert.Contains($"partial: {Words}", string.Join(" ", candidate.Scenarios[0].Reasons),
            StringComparison.Ordinal);
        Assert.NotEqual(GateVerdict.NotRegressed, StoredGate.Judge([Interrupted], Whole).Verdict);
    }

    [Fact]
    public void Pair_with_a_partial_side_does_not_count()
    {
        var pairs = Enumerable.Range(1, 8).Select(number => new RecordedPair(number, Whole, Interrupted)).ToList();

        var result = PairGate.Judge(pairs, "base", "candidate");

        Assert.NotEqual(GateVerdict.NotRegressed, result.Verdict);
    }

    [Fact]
    public void Merged_run_is_as_partial_as_its_parts()
    {
        var second = Interrupted.Run
            with { RunId = "20260318T101500Z-8d4f1c2", CreatedUtc = Interrupted.Run.CreatedUtc.AddDays(1) };

        Assert.Equal(Words, RunMerge.Of([Whole, new ComparisonSource("second", second)]).Partial);
    }

    [Fact]
    public void Partial_result_is_not_ranked()
    {
        var partial = Whole.Run with
        {
            Scenarios =
                [Whole.Run.Scenarios[0] with { Partial = Words, Verdict = new(VerdictOutcome.Inconclusive, []) }],
        };

        var cell = Assert.Single(Comparison.Of([Whole, new ComparisonSource("other", partial)]).Rows).Cells[1];

        Assert.Contains(cell.Differences,
            difference => difference is { What: "outcome", Other: "inconclusive, partial", ForbidsVerdict: true });
    }

    [Fact]
    public void Partial_result_that_claims_to_have_passed_is_refused()
    {
        var claimed = Whole.Run with { Scenarios = [Whole.Run.Scenarios[0] with { Partial = Words }] };

        var refusal = Assert.Throws<FormatException>(() => ResultJson.Read(ResultJson.Write(claimed)));

        Assert.Contains($"verdict.outcome is 'passed' and partial is '{Words}'", refusal.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Report_and_summary_begin_with_it()
    {
        var run = SampleRun.Create() with { Partial = Words };
        var passed = run
            with { Scenarios =
                [.. run.Scenarios.Where(scenario => scenario.Verdict.Outcome == VerdictOutcome.Passed)] };

        Assert.Contains($"Partial: {Words}.", HtmlReport.Render(run), StringComparison.Ordinal);
        Assert.Contains(
            "<h1>Partial run: ", HtmlReport.Render(passed), StringComparison.Ordinal);
        Assert.Contains($"**Partial**: {Words}.", SummaryMarkdown.Render(run), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Interrupted_load_completes_what_it_began()
    {
        using var interruption = new CancellationTokenSource();
        var scenario = Scenario.Create("interrupted", async context =>
        {
            if (context.IterationNumber == 20)
            {
                await interruption.CancelAsync();
            }

            await Task.Delay(10, context.ScenarioCancellationToken);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.IterationsForConstant(4, 1_000));

        var result =
            await new LoadRunner().RunAsync([scenario], new LoadOptions { Interruption = interruption.Token }, Cancel);

        var stats = result.Scenarios[0];
        Assert.True(result is { IsInterrupted: true, StopReason: "interrupted" });
        Assert.InRange(stats.Ok.Count, 20, 900); // Not all that were asked for.
        Assert.Equal((0, 0, 1_000 - stats.Ok.Count), (stats.Fail.Count, stats.Unfinished, stats.DroppedAfterStop));
    }
}
