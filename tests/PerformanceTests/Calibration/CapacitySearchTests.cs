using System.Diagnostics;
using LoadTesting.Core.Baselines;
using LoadTesting.Core.Capacity;
using LoadTesting.Core.Health;
using LoadTesting.Core.Scenarios;
using Xunit;

namespace PerformanceTests.Calibration;

/// <summary>A target of known capacity must be found, and a generator that gives in first must be told from it.</summary>
[Trait("Category", "Calibration")]
public sealed class CapacitySearchTests
{
    private const int MaximumAttempts = 3;

    private static readonly CapacityOptions Options = new() { Window = TimeSpan.FromSeconds(1.2), ClosedRungs = [8, 16], MinimumOperations = 40, FirstShare = 0.4 };

    [Fact]
    public async Task Capacity_of_a_queue_of_servers_is_found_to_within_ten_percent()
    {
        var queue = new QueueTarget(8, TimeSpan.FromMilliseconds(20));

        // A neighbour that takes the processors away looks like a limit of the generator, or of the queue; the last attempt counts whatever came of it.
        CapacityResult result;
        var attempt = 0;
        do
        {
            result = await SearchAsync(() => new QueueTarget(8, TimeSpan.FromMilliseconds(20)).CallAsync, GeneratorHealthLimits.ForSystemInSameProcess);
        }
        while (++attempt < MaximumAttempts && !IsWithin(queue.CapacityPerSecond, result));

        Assert.Equal(CapacityOutcome.Found, result.Outcome);
        Assert.InRange(result.LimitPerSecond!.Value / queue.CapacityPerSecond, 0.9, 1.1);
        Assert.True(result.Open!.LastComfortable < 1.02 * queue.CapacityPerSecond, $"{result.Open.LastComfortable}/s, more than the queue carries, was called comfortable");
    }

    /// <summary>Bodies that hold a thread of the pool for 20 ms: with a thread for each core and one more, the pool is full long before the target would be.</summary>
    [Fact]
    public async Task Generator_that_gives_in_first_is_named_and_no_capacity_is_given()
    {
        ThreadPool.GetMinThreads(out var minimum, out var minimumIo);
        ThreadPool.GetMaxThreads(out var maximum, out var maximumIo);
        ThreadPool.SetMinThreads(1, minimumIo);
        ThreadPool.SetMaxThreads(Environment.ProcessorCount + 1, maximumIo);
        try
        {
            var result = await SearchAsync(() => BlockAsync, new GeneratorHealthLimits { MaximumJitterMs = null, MaximumCpuShare = null });

            Assert.Equal(CapacityOutcome.GeneratorLimited, result.Outcome);
            Assert.Null(result.LimitPerSecond);
            Assert.Contains("the load generator was the limit", result.Sentence, StringComparison.Ordinal);
        }
        finally
        {
            ThreadPool.SetMaxThreads(maximum, maximumIo);
            ThreadPool.SetMinThreads(minimum, minimumIo);
        }
    }

    private static bool IsWithin(double capacity, CapacityResult result) => result.LimitPerSecond / capacity is > 0.9 and < 1.1;

    private static Task<IResponse> BlockAsync(IScenarioContext context)
    {
        using var never = new ManualResetEventSlim();
        never.Wait(TimeSpan.FromMilliseconds(20), context.ScenarioCancellationToken);
        return Task.FromResult<IResponse>(Response.Ok());
    }

    private static async Task<CapacityResult> SearchAsync(Func<Func<IScenarioContext, Task<IResponse>>> begin, GeneratorHealthLimits limits)
    {
        var start = Stopwatch.GetTimestamp();
        var result = await new CapacitySearch(Options).RunAsync(
            new RungTarget(begin, limits), "calibration", "none", HostingKind.InProcess, TestContext.Current.CancellationToken);
        TestContext.Current.TestOutputHelper?.WriteLine($"{Stopwatch.GetElapsedTime(start).TotalSeconds:0} s: {result.Sentence}");
        foreach (var rung in result.Closed!.Rungs.Concat(result.Open?.Rungs ?? []))
        {
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"N {rung.Concurrency:0.0} offered {rung.OfferedPerSecond:0.0} X {rung.ThroughputPerSecond:0.0} p95 {rung.P95Ms:0.0} growth {rung.InFlightGrowthPerSecond:0.0} {string.Join(" | ", rung.Reasons)}");
        }

        return result;
    }
}
