using LoadTesting.Core.Analysis.Capacity;

namespace UnitTests.LoadTesting.Analysis.Capacity;

public sealed class ScenarioLaddersTests
{
    /// <summary>
    /// The figures of the Oracle baseline of 2026-03-17. Its c16 was judged by processor waits, which no load step's
    /// figures show: by ours it is comfortable.
    /// </summary>
    [Fact]
    public void Ladder_that_still_gains_is_comfortable_to_its_top()
    {
        var ladder = Assert.Single(
            ScenarioLadders.Of(
                [StepOf(1, 3.37, 4336), StepOf(4, 15.22, 3988), StepOf(8, 21.34, 5561), StepOf(16, 34.03, 6710)]));

        Assert.Equal("oracle-aq-signal-roundtrip-capacity", ladder.Name);
        Assert.Equal((16d, null), (ladder.Closed!.LastComfortable, ladder.Closed.FirstPressure));
        Assert.Equal("Every load step is comfortable up to c16 (34.03 operations/s).", ladder.Sentence);
    }

    [Fact]
    public void Load_step_that_gains_too_little_is_the_first_under_pressure()
    {
        var ladder = Assert.Single(
            ScenarioLadders.Of([StepOf(16, 2_100, 9), StepOf(8, 2_000, 5), StepOf(4, 1_500, 3), StepOf(1, 500, 2.8)]));

        Assert.Equal((8d, 16d), (ladder.Closed!.LastComfortable, ladder.Closed.FirstPressure));
        Assert.StartsWith(
            "Last comfortable load step c8 (2,000 operations/s), first pressure load step c16 (2,100 operations/s): "
                + "twice the requests at a time bring 5 %", ladder.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Load_step_with_doubled_latency_is_under_pressure()
    {
        var ladder = Assert.Single(ScenarioLadders.Of([StepOf(1, 500, 2), StepOf(4, 1_500, 4), StepOf(8, 2_400, 6.1)]));

        Assert.Equal(8, ladder.Closed!.FirstPressure);
        Assert.Equal(
            "p95 is 6.10 ms, more than 2 times the 3.00 ms of the two lowest load steps",
            Assert.Single(ladder.Closed.Steps[2].Reasons));
    }

    [Fact]
    public void Load_step_that_lost_operations_is_not_comfortable()
    {
        var lossy = StepOf(4, 2_000, 2)
            with { Ledger = new LedgerResult { Requested = 100, Started = 100, Completed = 99, Stuck = 1 } };
        var bound = StepOf(8, 4_000, 2)
            with { Generator = new GeneratorResult { Health = GeneratorState.Bound, Evidence = ["too late"] } };

        var ladder = Assert.Single(ScenarioLadders.Of([StepOf(1, 1_000, 2), lossy, bound]));

        Assert.Equal(["1 operation failed or was left over"], ladder.Closed!.Steps[1].Reasons);
        Assert.Equal(["generator: too late"], ladder.Closed.Steps[2].Reasons);
    }

    [Fact]
    public void Repeated_load_step_is_judged_by_its_median_repetition()
    {
        var ladder = Assert.Single(
            ScenarioLadders.Of([StepOf(1, 1_000, 2), StepOf(4, 100, 90), StepOf(4, 3_000, 2), StepOf(4, 3_100, 2)]));

        Assert.Equal([1_000, 3_000], ladder.Closed!.Steps.Select(step => step.ThroughputPerSecond));
        Assert.Equal(4, ladder.Closed.LastComfortable);
    }

    [Fact]
    public void Ladders_are_separate_by_profile_hosting_and_size()
    {
        ScenarioResult[] scenarios =
        [
            StepOf(1, 10, 1), StepOf(4, 20, 1), StepOf(1, 10, 1, "-xl"), StepOf(4, 30, 1, "-xl"),
            StepOf(16, 10, 1, "-http"),
            SampleRun.Scenario("oracle-aq", "signal-roundtrip-throughput-parallel", 96, 16, 5, 20),
        ];

        Assert.Equal(["oracle-aq-signal-roundtrip-capacity", "oracle-aq-signal-roundtrip-capacity-xl"],
            ScenarioLadders.Of(scenarios)
            .Select(ladder => ladder.Name));
    }

    private static ScenarioResult StepOf(int concurrency, double perSecond, double p95, string suffix = "") =>
        SampleRun.Scenario(
            "oracle-aq", $"signal-roundtrip-capacity-c{concurrency}{suffix}", 100, concurrency, p95, perSecond) with
        {
            Phases = new Dictionary<string, LatencyResult>
            {
                ["start"] = new() { N = 100, P50Ms = p95 / 2, P95Ms = p95 },
                ["drainToIdle"] = new() { N = 1, P95Ms = 1_000 },
            },
        };
}
