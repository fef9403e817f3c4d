namespace PerformanceTests.Calibration;

/// <summary>
/// Bodies that block their threads make the generator late; the run must say that the generator was the limit, and how
/// late it was.
/// </summary>
[Trait("Category", "Calibration")]
public sealed class BlockedPoolTests
{
    [Fact]
    public async Task Blocked_thread_pool_makes_the_run_generator_bound() =>
        IsBoundByTheGenerator(await BlockedPool.RunAsync(TimeSpan.FromSeconds(1.5), new GeneratorHealthLimits()));

    [Fact]
    public async Task Without_the_limits_the_same_check_fails()
    {
        var run = await BlockedPool.RunAsync(TimeSpan.FromSeconds(1), GeneratorHealthLimits.None);

        var error = Assert.ThrowsAny<XunitException>(() => IsBoundByTheGenerator(run));
        Assert.Contains("Bound", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public Task Blocked_pool_in_process_is_not_the_generators_lateness() =>
        RealTime.HoldsAsync(async () =>
        {
            var run =
                await BlockedPool.RunAsync(TimeSpan.FromSeconds(1.5), GeneratorHealthLimits.ForSystemInSameProcess);

            Assert.Equal((GeneratorState.Healthy, PoolState.StarvedBySystem), (run.Health.Figures.Health, run.Health.Figures.Pool));
            Assert.True(run.Health.Figures.PoolDelayP99Ms > 500, $"pool delay p99 is {run.Health.Figures.PoolDelayP99Ms} ms");
            Assert.Contains(run.Scenarios.Single().Timeline.Points, point => point.PoolDelayP99Ms > 500);
        });

    [Fact]
    public Task Closed_load_with_waiting_continuations_is_generator_bound() => RealTime.HoldsAsync(async () =>
    {
        var run = await BlockedPool.ContinueLateAsync(new GeneratorHealthLimits());

        Assert.Equal((GeneratorState.Bound, PoolState.StarvedByGenerator), (run.Health.Figures.Health, run.Health.Figures.Pool));
        Assert.Contains(run.Health.Evidence, evidence => evidence.Signal == "poolDelayP99Share");
    });

    /// <summary>They wait where no work item waits.</summary>
    [Fact]
    public Task Closed_load_with_waiting_answers_is_generator_bound() => RealTime.HoldsAsync(async () =>
    {
        var run = await BlockedPool.AnswerLateAsync(new GeneratorHealthLimits());

        Assert.Equal((GeneratorState.Bound, PoolState.StarvedByGenerator), (run.Health.Figures.Health, run.Health.Figures.Pool));
        Assert.Contains(run.Health.Evidence, evidence => evidence.Signal == "poolDelayP99Share");
    });

    private static void IsBoundByTheGenerator(LoadResult run)
    {
        var result = run.Scenarios.Single();
        TestContext.Current.TestOutputHelper?.WriteLine(
            string.Join(Environment.NewLine, run.Health.Figures.Evidence));
        Assert.Equal(GeneratorState.Bound, run.Health.Figures.Health);
        Assert.Contains(run.Health.Evidence, evidence => evidence.Signal == "scheduleLagP99Share");
        Assert.Contains(run.Health.Evidence, evidence => evidence.Signal == "achievedRatio");
        Assert.Equal(result.Requested, result.Ok.Count);

        // The last of the arrivals had to wait for about as long as the schedule lasted, or half of that if a thread of
        // the host became free meanwhile; the service time shows nothing of it.
        Assert.InRange(run.Health.Figures.ScheduleLagP99Ms!.Value, 500, 60_000);
        Assert.True(result.Ok.Service.PercentileMs(50) < run.Health.Figures.ScheduleLagP99Ms / 2);
        Assert.True(result.Ok.Latency.PercentileMs(99) >= run.Health.Figures.ScheduleLagP99Ms);
        Assert.True(result.Ok.RatePerSecond < 0.9 * BlockedPool.RatePerSecond);
    }
}
