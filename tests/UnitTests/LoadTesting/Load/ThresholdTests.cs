using LoadTesting.Core.Load;

namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class ThresholdTests
{
    [Fact]
    public async Task A_rule_that_holds_over_enough_samples_passes() =>
        Assert.False((await JudgeAsync(Threshold.Create("p99", 20, result => result.Ok.Latency.PercentileMs(99) < 60_000))).IsFailed);

    [Fact]
    public async Task A_rule_that_does_not_hold_fails() =>
        Assert.Contains("does not hold over 20", (await FailAsync(
            Threshold.Create("p99", 20, result => result.Ok.Latency.PercentileMs(99) < 0))).Reason, StringComparison.Ordinal);

    [Fact]
    public async Task Too_few_samples_fail_whatever_the_rule_says() =>
        Assert.Contains("20 successful iterations, at least 21", (await FailAsync(Threshold.Create("any", 21, _ => true))).Reason,
            StringComparison.Ordinal);

    [Fact]
    public async Task A_step_that_never_ran_fails_whatever_the_rule_says() =>
        Assert.Contains("0 successful runs of step 'settle'", (await FailAsync(Threshold.ForStep("any", "settle", 1, _ => true))).Reason,
            StringComparison.Ordinal);

    [Fact]
    public async Task Failed_iterations_are_no_samples()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 20, _ => Task.FromResult<IResponse>(Response.Fail()))
            .WithThresholds(Threshold.Create("any", 1, _ => true)));

        Assert.True(result.Thresholds.Single().IsFailed);
    }

    [Fact]
    public async Task A_rule_that_cannot_be_judged_fails_with_the_exception() =>
        Assert.Contains("no step 'nowhere'",
            (await FailAsync(Threshold.Create("any", 1, result => result.Step("nowhere").Ok.Count > 0))).Reason, StringComparison.Ordinal);

    [Fact]
    public async Task A_rule_on_a_step_looks_at_that_step() =>
        Assert.False((await JudgeAsync(Threshold.ForStep("work", "work", 20, step => step.Ok.Count == 20))).IsFailed);

    private static async Task<ThresholdResult> FailAsync(Threshold threshold)
    {
        var judged = await JudgeAsync(threshold);
        Assert.True(judged.IsFailed);
        return judged;
    }

    private static async Task<ThresholdResult> JudgeAsync(Threshold threshold)
    {
        ScenarioStats result = await Runs.OneAsync(Runs.Iterations(1, 20, context =>
        {
            context.RecordStep("work", 0, 10, isOk: true);
            return Runs.Ok;
        }).WithThresholds(threshold));
        return result.Thresholds.Single();
    }
}
