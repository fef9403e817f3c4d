using LoadTesting.Core.Load;

namespace Benchmarks;

/// <summary>
/// How long a workflow takes, by the schedule's clock, when arrivals come at 70 % of the rate that the same engine
/// reached in a closed loop just before.
/// </summary>
internal static class OpenLoad
{
    private const double Share = 0.7;
    private const int InFlight = 256;

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds($"response times at {Share:P0} of capacity");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            await using var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken);
            await ClosedLoop.WarmUpAsync(InFlight, OperateAsync, cancellationToken);
            var (operations, seconds) =
                await ClosedLoop.RunAsync(InFlight, context.Duration, OperateAsync, cancellationToken);
            var rate = (int)(Share * operations / seconds);

            // Arrivals run other code than a closed loop. Its compilation would take up to a fifth of the processors.
            await WarmUpRule.RunAsync(() => ArriveAsync(WarmUpRule.Slice));
            var stats = (await ArriveAsync(context.Duration)).Scenarios[0];
            if (stats.Ok.Count < 0.99 * rate * context.Duration.TotalSeconds || stats.Fail.Count > 0)
            {
                throw new InvalidOperationException(
                    $"Of {rate} arrivals a second {stats.Ok.Count} completed and {stats.Fail.Count} "
                        + "failed: there is no percentile.");
            }

            rounds.Add("closed, 256 in flight, workflows/s", operations / seconds);
            rounds.Add("open, arrivals/s", rate);
            rounds.Add("response time p50, ms", stats.Ok.Latency.PercentileMs(50));
            rounds.Add("response time p99, ms", stats.Ok.Latency.PercentileMs(99));
            rounds.Add("started late by p99, ms", stats.ScheduleLag.PercentileMs(99));

            Task<LoadResult> ArriveAsync(TimeSpan duration) => new LoadRunner().RunAsync(
                [
                    Scenario.Create("open", async _ =>
                    {
                        await OperateAsync(cancellationToken);
                        return Response.Ok();
                    }).WithLoadSimulations(Simulation.Inject(rate, TimeSpan.FromSeconds(1), duration)),
                ],
                new LoadOptions(), cancellationToken);

            Task OperateAsync(CancellationToken token) => subject.OperateAsync(Guid.CreateVersion7().ToString(), token);
        }

        rounds.Print();
        Rounds.Target("p99 at 70 % of capacity, ms", rounds.Median("response time p99, ms"), 25, atLeast: false);
    }
}
