namespace PerformanceTests.Calibration;

/// <summary>
/// An open load on a thread pool that gets one thread more than there are cores and no further ones. A body takes so long that, if it holds
/// its thread meanwhile, they can serve half the rate: on any machine the backlog then grows as long as arrivals come.
/// </summary>
internal static class BlockedPool
{
    public const int RatePerSecond = 100;

    /// <summary>Runs it.</summary>
    /// <param name="during">How long arrivals come.</param>
    /// <param name="limits">What the generator is held to.</param>
    /// <param name="blocks">Whether bodies hold their threads; otherwise they take as long without one.</param>
    public static async Task<LoadResult> RunAsync(TimeSpan during, GeneratorHealthLimits limits, bool blocks = true)
    {
        ThreadPool.GetMinThreads(out var minimum, out var minimumIo);
        ThreadPool.GetMaxThreads(out var maximum, out var maximumIo);
        var threads = Math.Max(Environment.ProcessorCount, minimum) + 1;
        var hold = TimeSpan.FromSeconds(threads / (RatePerSecond / 2.0));
        Assert.True(ThreadPool.SetMaxThreads(threads, maximumIo),
            $"the thread pool cannot be limited to {threads} threads (minimum {minimum}, {minimumIo})");
        try
        {
            using var never = new ManualResetEventSlim();
            var scenario = Scenario.Create("blocking", async context =>
            {
                if (blocks)
                {
                    never.Wait(hold, CancellationToken.None);
                }
                else
                {
                    await Task.Delay(hold, context.ScenarioCancellationToken);
                }

                return Response.Ok();
            }).WithLoadSimulations(Simulation.Inject(RatePerSecond, TimeSpan.FromSeconds(1), during));
            return await new LoadRunner()
                .RunAsync([scenario], new LoadOptions { HealthLimits = limits }, Cancel);
        }
        finally
        {
            ThreadPool.SetMaxThreads(maximum, maximumIo);
        }
    }
}
