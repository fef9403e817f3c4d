using LoadTesting.Core.Health;
using LoadTesting.Core.Load;
using LoadTesting.Core.Scenarios;
using Xunit;
using Xunit.Sdk;

namespace PerformanceTests.Calibration;

/// <summary>Bodies that block their threads make the generator late; the run must say that the generator was the limit, and how late it was.</summary>
[Trait("Category", "Calibration")]
public sealed class BlockedPoolTests
{
    private const int RatePerSecond = 100;

    [Fact]
    public async Task Bodies_that_block_the_thread_pool_make_the_run_generator_bound_and_its_lateness_is_reported() =>
        IsBoundByTheGenerator(await MeasureAsync(TimeSpan.FromSeconds(2.5), new GeneratorHealthLimits()));

    [Fact]
    public async Task Without_the_limits_the_same_check_fails()
    {
        var run = await MeasureAsync(TimeSpan.FromSeconds(1), GeneratorHealthLimits.None);

        var error = Assert.ThrowsAny<XunitException>(() => IsBoundByTheGenerator(run));
        Assert.Contains("Bound", error.Message, StringComparison.Ordinal);
    }

    private static void IsBoundByTheGenerator(LoadResult run)
    {
        var result = run.Scenarios.Single();
        TestContext.Current.TestOutputHelper?.WriteLine(string.Join(Environment.NewLine, run.Health.Evidence.Select(evidence => evidence.Text)));
        Assert.Equal(GeneratorVerdict.Bound, run.Health.Verdict);
        Assert.Contains(run.Health.Evidence, evidence => evidence.Signal == "scheduleLagP99Share");
        Assert.Contains(run.Health.Evidence, evidence => evidence.Signal == "achievedRatio");
        Assert.Equal(result.Requested, result.Ok.Count);

        // The last of the arrivals had to wait for about as long as the schedule lasted; the service time shows nothing of it.
        Assert.InRange(run.Health.ScheduleLagP99Ms!.Value, 1_000, 60_000);
        Assert.True(result.Ok.Service.PercentileMs(50) < run.Health.ScheduleLagP99Ms / 2);
        Assert.True(result.Ok.Latency.PercentileMs(99) >= run.Health.ScheduleLagP99Ms);
        Assert.True(result.Ok.RatePerSecond < 0.9 * RatePerSecond);
    }

    /// <summary>
    /// The pool gets one thread more than there are cores and no further ones, and a body holds one so long that they can serve half the rate: on any machine
    /// the backlog then grows as long as arrivals come.
    /// </summary>
    private static async Task<LoadResult> MeasureAsync(TimeSpan during, GeneratorHealthLimits limits)
    {
        ThreadPool.GetMinThreads(out var minimum, out var minimumIo);
        ThreadPool.GetMaxThreads(out var maximum, out var maximumIo);
        var threads = Math.Max(Environment.ProcessorCount, minimum) + 1;
        var hold = TimeSpan.FromSeconds(threads / (RatePerSecond / 2.0));
        Assert.True(ThreadPool.SetMaxThreads(threads, maximumIo), $"the thread pool cannot be limited to {threads} threads (minimum {minimum}, {minimumIo})");
        try
        {
            using var never = new ManualResetEventSlim();
            var scenario = Scenario.Create("blocking", _ =>
            {
                never.Wait(hold, CancellationToken.None);
                return Task.FromResult<IResponse>(Response.Ok());
            }).WithLoadSimulations(Simulation.Inject(RatePerSecond, TimeSpan.FromSeconds(1), during));
            return await new LoadRunner().RunAsync([scenario], new LoadOptions { HealthLimits = limits }, TestContext.Current.CancellationToken);
        }
        finally
        {
            ThreadPool.SetMaxThreads(maximum, maximumIo);
        }
    }
}
