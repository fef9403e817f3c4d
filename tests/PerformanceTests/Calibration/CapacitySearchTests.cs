using LoadTesting.Core.Analysis.Capacity;
using PerformanceTesting.XunitV3;

namespace PerformanceTests.Calibration;

/// <summary>
/// A target of known capacity must be found, and a generator that gives in first must be distinguished from it.
/// </summary>
public sealed class CapacitySearchTests
{
    private const int MaximumAttempts = 3;

    private static readonly CapacityOptions Options =
        new() { Window = TimeSpan.FromSeconds(1.2), ClosedSteps = [80], MinimumOperations = 40, FirstShare = 0.57 };

    /// <summary>
    /// Forty servers of 100 ms carry 400 a second. A neighbour that takes the processors away looks like a limit of the
    /// generator, or of the queue: that is measured again. If the generator is named each time there is no capacity to
    /// judge, which is skipped with its evidence, as any inconclusive run.
    /// </summary>
    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Capacity_of_a_queue_is_found_within_ten_percent()
    {
        static QueueTarget Queue() => new(40, TimeSpan.FromMilliseconds(100));
        var capacity = Queue().CapacityPerSecond;
        CapacityResult result;
        var attempt = 0;
        do
        {
            result = await SearchAsync(Options, () => Queue().CallAsync, GeneratorHealthLimits.ForSystemInSameProcess);
        }
        while (++attempt < MaximumAttempts && result.LimitPerSecond / capacity is not (> 0.9 and < 1.1));

        Assert.True(!(result.Open!.LastComfortable >= 1.02 * capacity),
            $"{result.Open.LastComfortable}/s, more than the queue carries, was called comfortable");
        TestVerdict.RequireConclusion(result.Outcome != CapacityOutcome.GeneratorLimited, result.Sentence);
        Assert.Equal(CapacityOutcome.Found, result.Outcome);
        Assert.InRange(result.LimitPerSecond!.Value / capacity, 0.9, 1.1);
    }

    /// <summary>
    /// Bodies that hold a thread of the pool for 20 ms: with a thread for each core and one more, the pool is full long
    /// before the target would be. The search begins over what so many threads carry, 50 a second each: it need not
    /// find that out in steps. A neighbour that takes the processors away lets bodies end more slowly than they begin,
    /// which looks like a slow system: that is measured again, and no capacity is ever found.
    /// </summary>
    [Fact]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public async Task Saturated_generator_is_named_instead_of_a_capacity()
    {
        CapacityResult result;
        var attempt = 0;
        do
        {
            result = await BlockedPool.OnFewThreadsAsync(threads => SearchAsync(
                Options with { LeastPerSecond = 140 * threads }, () => BlockAsync,
                new GeneratorHealthLimits { MaximumJitterMs = null, MaximumCpuShare = null }));
        }
        while (++attempt < MaximumAttempts && result.Outcome == CapacityOutcome.NothingComfortable);

        Assert.Equal(CapacityOutcome.GeneratorLimited, result.Outcome);
        Assert.Null(result.LimitPerSecond);
        Assert.Contains("the load generator was the limit", result.Sentence, StringComparison.Ordinal);
    }

    private static Task<IResponse> BlockAsync(IScenarioContext context)
    {
        using var never = new ManualResetEventSlim();
        never.Wait(TimeSpan.FromMilliseconds(20), context.ScenarioCancellationToken);
        return Task.FromResult<IResponse>(Response.Ok());
    }

    private static async Task<CapacityResult> SearchAsync(
        CapacityOptions options, Func<Func<IScenarioContext, Task<IResponse>>> begin, GeneratorHealthLimits limits)
    {
        var start = Stopwatch.GetTimestamp();
        var result = await new CapacitySearch(options).RunAsync(
            new LoadStepTarget(begin, limits), "calibration", "none", HostingKind.InProcess, Cancel);
        TestContext.Current.TestOutputHelper?.WriteLine($"{Stopwatch.GetElapsedTime(start).TotalSeconds:0} s: {result.Sentence}");
        foreach (var step in result.Closed!.Steps.Concat(result.Open?.Steps ?? []))
        {
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"N {step.Concurrency:0.0} offered {step.OfferedPerSecond:0.0} X {step.ThroughputPerSecond:0.0} p95 {step.P95Ms:0.0} "
                + $"growth {step.InFlightGrowthPerSecond:0.0} {string.Join(" | ", step.Reasons)}");
        }

        return result;
    }
}

/// <summary>A target in this process, new for each load step.</summary>
internal sealed class LoadStepTarget(Func<Func<IScenarioContext, Task<IResponse>>> begin, GeneratorHealthLimits limits)
    : ICapacityTarget
{
    private static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(300);

    public Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Keep(concurrency, WarmUp, window), cancellationToken);

    public Task<LoadStepResult> OfferAsync(
        double ratePerSecond, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Offer(ratePerSecond, WarmUp, window), cancellationToken);

    private Task<LoadStepResult> MeasureAsync(LoadStep step, CancellationToken cancellationToken) =>
        step.MeasureAsync("calibration", begin(), new LoadOptions { HealthLimits = limits }, cancellationToken);
}

/// <summary>
/// A queue of several servers, each busy for a fixed time with every call. Who is served when follows from the clock,
/// so its capacity is servers / service time to the last digit, however late the timers of the machine are.
/// </summary>
internal sealed class QueueTarget(int servers, TimeSpan service)
{
    private readonly Lock _gate = new();
    private readonly PriorityQueue<int, long> _free = new(Enumerable.Range(0, servers).Select(server => (server, 0L)));
    private readonly long _service = (long)(service.TotalSeconds * Stopwatch.Frequency);

    internal double CapacityPerSecond => servers / service.TotalSeconds;

    /// <summary>Calls, and answers when the server that takes the call has done it.</summary>
    internal async Task<IResponse> CallAsync(IScenarioContext context)
    {
        long end;
        lock (_gate)
        {
            _free.TryDequeue(out var server, out var free);
            end = Math.Max(free, Stopwatch.GetTimestamp()) + _service;
            _free.Enqueue(server, end);
        }

        for (var now = Stopwatch.GetTimestamp(); now < end; now = Stopwatch.GetTimestamp())
        {
            await Task.Delay(
                TimeSpan.FromMilliseconds(Math.Ceiling(Stopwatch.GetElapsedTime(now, end).TotalMilliseconds)),
                context.ScenarioCancellationToken);
        }

        return Response.Ok();
    }
}
