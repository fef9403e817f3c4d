namespace UnitTests.LoadTesting.Load;

/// <summary>What still runs when nothing more is to start has the completion timeout, once.</summary>
[Collection(TimedCollection.Name)]
public sealed class CompletionTimeoutTests
{
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(1);

    private static readonly (LoadSimulation[] Load, double Seconds)[] s_loads =
    [
        ([Simulation.Inject(2, s_moment, s_moment)], 1.2),
        ([Simulation.KeepConstant(2, s_moment)], 1.2),
        ([Simulation.RampingConstant(2, s_moment)], 1.2),
        ([Simulation.KeepConstant(1, s_moment), Simulation.RampingConstant(2, s_moment)], 1.4),
        ([Simulation.KeepConstant(2, s_moment), Simulation.Pause(TimeSpan.FromHours(1))], 1.2),
        ([Simulation.IterationsForConstant(2, 2)], 1),
        ([Simulation.IterationsForConstant(2, 5)], 1),
    ];

    /// <summary>Hanging iterations use no processor, so all loads run at the same time.</summary>
    [Fact]
    public Task Iterations_that_do_not_end_are_cut_after_one_timeout() => RealTime.HoldsAsync(() =>
        Task.WhenAll(s_loads.Select(one => AssertIsCutAsync(one.Load, one.Seconds))));

    private static async Task AssertIsCutAsync(LoadSimulation[] load, double seconds)
    {
        var result = await Runs.OneAsync(Scenario.Create("hanging", async _ =>
        {
            await Task.Delay(Timeout.Infinite, CancellationToken.None);
            return Response.Ok();
        }).WithLoadSimulations(load), new LoadOptions { CompletionTimeout = s_timeout });

        var name = string.Join(", ", load.Select(part => part.GetType().Name));
        Assert.Equal((name, 2, 0, 2), (name, result.Started, result.Ok.Count, result.Unfinished));
        Assert.True(
            result.Duration.TotalSeconds - seconds is >= -0.05 and <= 0.6,
            $"{name} took {result.Duration.TotalSeconds} s, not about {seconds} s.");
        Runs.Balances(result);
    }

    [Fact]
    public Task Each_start_of_an_iteration_restarts_the_timeout() => RealTime.HoldsAsync(async () =>
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 4, async context =>
        {
            await Task.Delay(
                context.IterationNumber < 3 ? 0.7 * s_timeout : Timeout.InfiniteTimeSpan, CancellationToken.None);
            return Response.Ok();
        }), new LoadOptions { CompletionTimeout = s_timeout });

        Assert.Equal((3, 1), (result.Ok.Count, result.Unfinished));
        Assert.InRange(result.Duration.TotalSeconds, 3.05, 3.9);
    });
}
