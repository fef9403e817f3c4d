using Workflow.Client;

namespace Benchmarks;

/// <summary>
/// Two nodes: what one hop costs a signal, and what a node that hangs costs the callers of the other.
/// </summary>
internal static class NodeLatency
{
    public const string Forwarded = "one at a time, p50 of a forwarded signal, of a local one's";
    public const string Hanging = "callers' p99 beside a node that hangs, of their usual";
    private const int WarmUps = 300;
    private const int Operations = 300;
    private const int Callers = 16;
    private const int CallersOfOther = 4;

    public static async Task MeasureAsync(
        BenchmarkContext context, Rounds rounds, CancellationToken cancellationToken)
    {
        await using var cluster = await NodeCluster.StartAsync(context, count: 2, NodeUse.Any, cancellationToken);
        await MeasureForwardedAsync(cluster, rounds, cancellationToken);
        await MeasureHangingAsync(context, cluster, rounds, cancellationToken);
    }

    private static async Task MeasureForwardedAsync(
        NodeCluster cluster, Rounds rounds, CancellationToken cancellationToken)
    {
        var times = new[] { new List<double>(), new List<double>() };
        var empty = new List<double>();
        for (var i = 0; i < 2 * (WarmUps + Operations); i++)
        {
            var key = cluster.KeyOf(0);
            await cluster.Nodes[0].Client.StartAsync(RoundTripRequests.Start(key), null, cancellationToken);
            var since = Stopwatch.GetTimestamp();
            await cluster.Nodes[i % 2].Client.SignalAsync(RoundTripRequests.Resume(key), null, cancellationToken);
            var signalled = Stopwatch.GetTimestamp();
            await cluster.Nodes[i % 2].Client.GetClusterAsync(cancellationToken);
            if (i >= 2 * WarmUps)
            {
                times[i % 2].Add(Stopwatch.GetElapsedTime(since, signalled).TotalMilliseconds);
                empty.Add(Stopwatch.GetElapsedTime(signalled).TotalMilliseconds);
            }
        }

        var (local, forwarded, hop) = (Quantile(times[0], 0.5), Quantile(times[1], 0.5), Quantile(empty, 0.5));
        rounds.Add("one at a time, p50 of a local signal, ms", local);
        rounds.Add("one at a time, p50 of a forwarded signal, ms", forwarded);
        rounds.Add("one at a time, p50 of a request that reads memory alone, ms", hop);
        rounds.Add(Forwarded, forwarded / local);
        rounds.Add("p50 of a local signal and of such a request, of a local signal's", (local + hop) / local);
    }

    private static async Task MeasureHangingAsync(
        BenchmarkContext context, NodeCluster cluster, Rounds rounds, CancellationToken cancellationToken)
    {
        var client = cluster.Nodes[0].Client;
        await LocalAsync();
        var usual = await LocalAsync();
        await cluster.Nodes[1].PauseAsync(cancellationToken);
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var others = Task.WhenAll(Enumerable.Range(0, CallersOfOther).Select(_ => CallOtherAsync()));
        var beside = await LocalAsync();
        await cluster.WaitUntilFirstHasAllAsync(cancellationToken);
        var moved = await LocalAsync();
        await over.CancelAsync();
        await others;
        await cluster.Nodes[1].ContinueAsync(cancellationToken);
        rounds.Add($"{Callers} callers of one node, p99 of start and signal, ms", usual);
        rounds.Add("the same while the other node hangs, ms", beside);
        rounds.Add(Hanging, beside / usual);
        rounds.Add($"the same with the {CallersOfOther} callers of the other's lanes, all moved, ms", moved);
        rounds.Add("callers' p99 beside as many more callers and no node that hangs, of their usual", moved / usual);

        async Task<double> LocalAsync()
        {
            var times = new ConcurrentBag<double>();
            await ClosedLoop.RunAsync(
                Callers, context.Duration,
                async token =>
                {
                    var key = cluster.KeyOf(0);
                    var since = Stopwatch.GetTimestamp();
                    await client.StartAsync(RoundTripRequests.Start(key), null, token);
                    await client.SignalAsync(RoundTripRequests.Resume(key), null, token);
                    times.Add(Stopwatch.GetElapsedTime(since).TotalMilliseconds);
                },
                cancellationToken);
            return Quantile([.. times], 0.99);
        }

        async Task CallOtherAsync()
        {
            while (!over.IsCancellationRequested)
            {
                try
                {
                    await client.StartAsync(RoundTripRequests.Start(cluster.KeyOf(1)), null, over.Token);
                }
                catch (Exception e) when (e is WorkflowApiException or OperationCanceledException)
                {
                    // Until its lanes have moved, the node that hangs may cost its callers their answers.
                }
            }
        }
    }

    private static double Quantile(List<double> values, double share) =>
        values.Order().ElementAt((int)(values.Count * share));
}
