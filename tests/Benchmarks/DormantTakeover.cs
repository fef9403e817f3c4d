namespace Benchmarks;

/// <summary>A second node takes over the lanes of one that is killed, both under load, on the same stock.</summary>
internal static class DormantTakeover
{
    public const string P95 = "takeover, p95 of the kills, s";

    /// <summary>Instances all over the stock, so that every lane of the killed node has to serve one.</summary>
    private const int WokenAfterEach = 8;

    private static readonly TimeSpan s_load = TimeSpan.FromSeconds(1);

    public static async Task MeasureAsync(
        BenchmarkContext context, DormantService service, DormantStock stock, Rounds rounds,
        CancellationToken cancellationToken)
    {
        await service.LeaveAsync();
        var (other, _) = await DormantService.StartAsync(context, stock, cancellationToken);
        await using (other)
        {
            var times = new List<double>(context.Kills);
            for (var kill = 0; kill < context.Kills; kill++)
            {
                var (killed, survivor) = kill % 2 == 0 ? (service, other) : (other, service);
                await Task.WhenAll(
                    killed.WaitUntilReadyAsync(cancellationToken), survivor.WaitUntilReadyAsync(cancellationToken));
                await ClosedLoop.RunAsync(
                    8, s_load, token => survivor.RoundTripAsync(token), cancellationToken);
                await killed.Process.KillAsync(cancellationToken);
                var since = Stopwatch.GetTimestamp();
                var woken = await Task.WhenAll(Enumerable.Range(0, WokenAfterEach).Select(
                    _ => survivor.FirstWakeAsync(stock.Take(), since, cancellationToken)));
                times.Add(woken.Max().TotalSeconds);
                rounds.Add("takeover: the last of 8 signals to dormant instances applied, s", times[^1]);
                await killed.Process.RestartAsync(cancellationToken);
            }

            rounds.Add(P95, times.Order().ElementAt(Math.Max(0, (context.Kills * 95 / 100) - 1)));
            service.CountStartedOf(other);
            await other.StopAsync(cancellationToken);
        }
    }
}
