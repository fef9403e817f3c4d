using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

public sealed class ThresholdTests
{
    [Fact]
    public async Task A_rule_that_holds_over_enough_samples_passes() =>
        Assert.Equal(
            ThresholdOutcome.Passed,
            (await JudgeAsync(
                Threshold.Create("p99", 20, result => result.Ok.Latency.PercentileMs(99) < 60_000))).Outcome);

    [Fact]
    public async Task A_rule_that_does_not_hold_fails() =>
        Assert.Equal(
            new ThresholdResult("p99", "holds", null, 20, ThresholdOutcome.Failed, ThresholdKind.Times),
            await JudgeAsync(Threshold.Create("p99", 20, result => result.Ok.Latency.PercentileMs(99) < 0)));

    [Fact]
    public async Task Too_few_samples_never_pass_whatever_the_rule_says() =>
        Assert.Equal(
            new ThresholdResult("any", "holds", null, 20, ThresholdOutcome.NotEnoughSamples, ThresholdKind.Times),
            await JudgeAsync(Threshold.Create("any", 21, _ => true)));

    [Fact]
    public async Task A_step_that_never_ran_has_no_samples_whatever_the_rule_says() =>
        Assert.Equal(
            new ThresholdResult("settle.failed", "<= 0", 0, 0, ThresholdOutcome.NotEnoughSamples, ThresholdKind.Counts),
            await JudgeAsync(Threshold.AtMost("failed", 0, stepName: "settle")));

    [Fact]
    public async Task Failed_iterations_count_only_in_rules_on_counts()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 20, _ => Task.FromResult<IResponse>(Response.Fail()))
            .WithThresholds(Threshold.Create("any", 1, _ => true), Threshold.AtMost("failedShare", 0.5)));

        Assert.Equal(
            [
                new("any", "holds", null, 0, ThresholdOutcome.NotEnoughSamples, ThresholdKind.Times),
                new("failedShare", "<= 0.5", 1, 20, ThresholdOutcome.Failed, ThresholdKind.Counts),
            ],
            result.Thresholds);
    }

    [Fact]
    public async Task A_rule_that_cannot_be_judged_fails_with_the_exception() =>
        Assert.Contains(
            "no step 'nowhere'",
            (await JudgeAsync(Threshold.Create("any", 1, result => result.Step("nowhere").Ok.Count > 0))).Limit,
            StringComparison.Ordinal);

    [Theory]
    [InlineData("p50Ms", 0.00001, 0.00001, ThresholdOutcome.Passed)]
    [InlineData("p50Ms", 0.000009, 0.00001, ThresholdOutcome.Failed)]
    [InlineData("p99Ms", 50, 0.00001, ThresholdOutcome.NotEnoughSamples)]
    [InlineData("completed", 20, 20, ThresholdOutcome.Passed)]
    [InlineData("failed", 0, 0, ThresholdOutcome.Passed)]
    public async Task A_bound_says_what_it_measured(
        string metric, double limit, double measured, ThresholdOutcome outcome)
    {
        var judged = await JudgeAsync(Threshold.AtMost(metric, limit, stepName: "work"));

        Assert.Equal(($"work.{metric}", outcome, 20L), (judged.Metric, judged.Outcome, judged.N));
        Assert.Equal(measured, judged.Measured!.Value, 1e-7);
        Assert.StartsWith("<= ", judged.Limit, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 600, null, ThresholdOutcome.Failed)]
    [InlineData(590, 10, null, ThresholdOutcome.Failed)]
    [InlineData(591, 9, null, ThresholdOutcome.NotEnoughSamples)]
    [InlineData(1_990, 10, 5_000, ThresholdOutcome.NotEnoughSamples)] // 0.5 %: the p99 may be within the limit.
    [InlineData(1_970, 30, 5_000, ThresholdOutcome.Failed)]
    public void Percentile_is_missed_by_ten_samples_beyond_it(
        int within, int beyond, int? minimumCount, ThresholdOutcome expected)
    {
        var latency = new LatencyHistogram();
        for (var sample = 0; sample < within + beyond; sample++)
        {
            latency.Record(TimeSpan.FromMilliseconds(sample < within ? 40 : 200));
        }

        var judged = Threshold.AtMost("p99Ms", 50, minimumCount).Evaluate(new ThresholdSubject(latency, 0, 0, 20));

        Assert.Equal((expected, within + beyond), (judged.Outcome, judged.N));
    }

    [Fact]
    public async Task A_least_value_holds_from_the_limit_on() =>
        Assert.Equal(
            ThresholdOutcome.Failed, (await JudgeAsync(Threshold.AtLeast("throughputPerSecond", 1e12))).Outcome);

    [Theory]
    [InlineData("p98Ms", 1, "there are averageMs, p50Ms")]
    [InlineData("p99Ms", double.NaN, "give a finite number")]
    [InlineData("failedShare", 5, "'failedShare <= 5' holds for every measurement. A share is from 0 to 1")]
    public void A_rule_that_can_never_be_judged_or_missed_is_refused(string metric, double limit, string reported) =>
        Assert.Contains(
            reported, Assert.Throws<ArgumentException>(() => Threshold.AtMost(metric, limit)).Message,
            StringComparison.Ordinal);

    [Fact]
    public void A_least_value_of_nothing_is_refused() => Assert.Contains(
        "'throughputPerSecond >= 0' holds for every measurement",
        Assert.Throws<ArgumentException>(() => Threshold.AtLeast("throughputPerSecond", 0)).Message,
        StringComparison.Ordinal);

    private static async Task<ThresholdResult> JudgeAsync(Threshold threshold)
    {
        ScenarioStats result = await Runs.OneAsync(Runs.Iterations(1, 20, context =>
        {
            context.RecordStep("work", 0, 10 * Stopwatch.Frequency / 1_000_000_000, isOk: true);
            return Runs.Ok;
        }).WithThresholds(threshold));
        return result.Thresholds.Single();
    }
}
