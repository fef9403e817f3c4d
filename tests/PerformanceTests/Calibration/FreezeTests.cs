using Xunit.Sdk;

namespace PerformanceTests.Calibration;

/// <summary>A freeze of the target must show in the open model's percentiles, and the closed model must admit that it hides it.</summary>
[Trait("Category", "Extended")]
public sealed class FreezeTests(FreezeRun run) : IClassFixture<FreezeRun>
{
    private const double MinimumP99Ms = 1_100;

    private const double MaximumTolerance = 0.05;

    [Fact]
    public void The_open_model_reports_the_freeze()
    {
        Assert.InRange(run.Open.Ok.Count, 3_990, 4_000);
        ShowsTheFreeze(run.Open);
    }

    [Fact]
    public void The_closed_model_beside_it_is_flagged_as_hiding_it()
    {
        IsFlagged(run.Closed);
        Assert.True(
            run.Closed.Ok.Latency.PercentileMs(99) < MinimumP99Ms, "the closed model's p99 shows the freeze, there is nothing to flag");
    }

    [Fact]
    public void Measured_without_a_schedule_the_same_freeze_fails_the_open_models_check()
    {
        var error = Assert.ThrowsAny<XunitException>(() => ShowsTheFreeze(run.Closed));

        Assert.Contains("p99", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_looking_for_stalls_the_closed_models_check_fails() =>
        Assert.ThrowsAny<XunitException>(() => IsFlagged(run.ClosedWithoutLooking));

    private void ShowsTheFreeze(ScenarioStats result)
    {
        var (p99, max, truth) = (result.Ok.Latency.PercentileMs(99), result.Ok.Latency.MaxMs, run.FrozenFor.TotalMilliseconds);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{result.Name}: p99 {p99:0} ms, max {max:0} ms, n {result.Ok.Count}; frozen for {truth:0} ms; attempts {run.Attempts}, jitter "
            + $"p99 {run.JitterP99Ms:0.0} ms");
        Assert.True(p99 >= MinimumP99Ms, $"p99 is {p99:0} ms, a freeze of {truth:0} ms asks for at least {MinimumP99Ms:0} ms");
        Assert.True(Math.Abs(max - truth) <= MaximumTolerance * truth, $"max is {max:0} ms, the target was frozen for {truth:0} ms");
    }

    private void IsFlagged(ScenarioStats result)
    {
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{result.Name}: p99 {result.Ok.Latency.PercentileMs(99):0} ms; {result.HiddenStall}");
        Assert.NotNull(result.HiddenStall);
        Assert.Equal(1, result.HiddenStall.Stalls);
        Assert.InRange(result.HiddenStall.Longest / run.FrozenFor, 1 - MaximumTolerance, 1 + MaximumTolerance);
        Assert.Equal(2, result.HiddenStall.IterationsThatSawIt);
        Assert.InRange(result.HiddenStall.IterationsExpected, 100, 400);
    }
}
