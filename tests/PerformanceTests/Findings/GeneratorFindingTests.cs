using LoadTesting.Core.Analysis.Findings;
using PerformanceTests.Calibration;

namespace PerformanceTests.Findings;

/// <summary>
/// A generator whose threads are blocked must be named before any part of the system, and the same load without blocking exonerate it.
/// </summary>
[Trait(TierNames.Trait, TierNames.Findings)]
public sealed class GeneratorFindingTests
{
    private static readonly TimeSpan During = TimeSpan.FromSeconds(2);

    // The ticker shows neighbours here, not of the generator's threads.
    private static readonly GeneratorHealthLimits Limits = GeneratorHealthLimits.ForSystemInSameProcess with { MaximumJitterMs = null };

    [Fact]
    public Task Generator_whose_threads_are_blocked_is_named() => ProvokedRun.CheckAsync(() => JudgeAsync(blocks: true), findings =>
    {
        Assert.Equal(ResourceNames.Generator, findings.Ranked.FirstOrDefault()?.Resource);
        Assert.True(findings.Ranked[0].ShareOfResponseTime > 0.5);
        Assert.All(
            findings.Resources.Where(r => r.Resource is ResourceNames.WalFlush or ResourceNames.Locks or ResourceNames.Disk),
            r => Assert.Equal(ResourceState.NotExamined, r.State));
    });

    [Fact]
    public Task Generator_whose_bodies_wait_without_a_thread_is_exonerated() => ProvokedRun.CheckAsync(
        () => JudgeAsync(blocks: false),
        findings => Assert.Equal(ResourceState.Exonerated, findings.Resources.Single(r => r.Resource == ResourceNames.Generator).State));

    private static async Task<ProvokedRun> JudgeAsync(bool blocks)
    {
        var cancel = Cancel;
        await using var resources = new ResourceObserver([Environment.ProcessId], server: null);
        await resources.StartAsync(cancel);
        var load = await BlockedPool.RunAsync(During, Limits, blocks);
        await resources.StopAsync(cancel);
        var seen = resources.Seen;
        var measured = load.Scenarios.Single().Ok;
        var inputs = seen.ToInputs(load, measured.Count, measured.Latency.AverageMs / 1000, server: null, queueWaitSeconds: null);
        return new ProvokedRun(FindingRules.Judge(inputs), seen.OtherProcessors);
    }
}
