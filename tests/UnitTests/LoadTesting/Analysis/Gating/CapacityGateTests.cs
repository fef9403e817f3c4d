using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Reporting.Tables;

namespace UnitTests.LoadTesting.Analysis.Gating;

public sealed class CapacityGateTests
{
    [Theory]
    [InlineData(1000, GateVerdict.NotRegressed)]
    [InlineData(
        870, GateVerdict.Inconclusive)] // By their brackets the two may be nearly equal, by their middles 15 % apart.
    [InlineData(800, GateVerdict.Regressed)]
    [InlineData(1500, GateVerdict.NotRegressed)]
    public void Limit_regresses_when_the_brackets_are_apart(double limit, GateVerdict expected)
    {
        double[] noise = [1.02, 0.98, 1.03, 0.97, 1.01, 0.99, 1.04, 0.96, 1, 1];

        var row = Judge(number => DailyRuns.Capacity(limit * noise[number - 1]));

        var finding = row.Finding("capacity");
        Assert.Equal((expected, expected), (row.Verdict, finding.Verdict));
        Assert.Equal((1000, 950, 1050, 10),
            (finding.Baseline, finding.BaselineBracket!.Low, finding.BaselineBracket.High, finding.Pairs));
        Assert.True(finding.Lower99 < finding.Change && finding.Change < finding.Upper95);
    }

    [Fact]
    public void Search_without_a_comfortable_load_has_regressed()
    {
        var row = Judge(_ => DailyRuns.Capacity(null));

        Assert.Equal((GateVerdict.Regressed, GateVerdict.Regressed), (row.Verdict, row.Finding("failedRuns").Verdict));
    }

    [Fact]
    public void Search_that_lost_operations_has_failed()
    {
        var lossy = DailyRuns.Capacity(1000) with { Violations = ["at 200/s 1 operations were lost"] };

        var row = Judge(_ => lossy);
        var stored = StoredGate.Judge([Run(DailyRuns.Capacity(1000))], Run(lossy)).Scenarios.Single();

        Assert.All(
            [row, stored],
            judged => Assert.Equal(
                (GateVerdict.Regressed, GateVerdict.Regressed),
                (judged.Verdict, judged.Finding("failedRuns").Verdict)));
    }

    [Fact]
    public void Search_that_ended_with_its_ladder_says_nothing()
    {
        var row = Judge(_ => DailyRuns.Capacity(null) with { Outcome = CapacityOutcome.NotReached });

        Assert.Equal((GateVerdict.Inconclusive, GateCause.Unlike), (row.Verdict, row.Cause));
    }

    [Theory]
    [InlineData(900, GateVerdict.NotGated)]
    [InlineData(700, GateVerdict.Suspect)]
    public void Lower_limit_than_a_stored_one_is_suspect_at_most(double limit, GateVerdict expected)
    {
        var result = StoredGate.Judge([Run(DailyRuns.Capacity(1000))], Run(DailyRuns.Capacity(limit)));

        Assert.Equal(
            expected, result.Scenarios.Single(row => row.Scenario.EndsWith("capacity", StringComparison.Ordinal))
            .Finding("capacity").Verdict);
    }

    [Theory]
    [InlineData(1000, "×1.00 (×0.90 .. ×1.11): the brackets overlap")]
    [InlineData(500, "×0.50 (×0.45 .. ×0.55): lower")]
    public void Comparison_sets_limits_side_by_side_with_their_brackets(double limit, string expected)
    {
        var comparison = Comparison.Of([Run(DailyRuns.Capacity(1000)), Run(DailyRuns.Capacity(limit))]);

        var table = ComparisonTables.Of(comparison).Single(table => table.Title == "Capacities");
        Assert.Equal(["A postgres", "1,000", "950.0", "1,050", ""], table.Rows[1].Cells);
        Assert.Equal(expected, table.Rows[2].Cells[^1]);
    }

    [Fact]
    public void Limits_by_other_criteria_are_not_ranked()
    {
        var other = DailyRuns.Capacity(1000)
            with { Open = new LadderResult { Criteria = ["p95 is at most 50 ms"], Steps = [] } };

        var cell = Comparison.Of([Run(DailyRuns.Capacity(1000)), Run(other)]).Capacities[0].Cells[1];

        Assert.Null(cell.Ratio);
        Assert.Equal(["load model"], cell.Unlike);
    }

    private static GateRow Judge(Func<int, CapacityResult> candidate) => PairGate.Judge(
        [.. Enumerable.Range(1, 10)
            .Select(number => new RecordedPair(number, Run(DailyRuns.Capacity(1000)), Run(candidate(number))))],
        "a", "b").Scenarios.Single();

    // A run of nothing but the search.
    private static ComparisonSource Run(CapacityResult capacity) =>
        new("run", DailyRuns.Run(0, 1000) with { Scenarios = [], Capacity = [capacity] });
}
