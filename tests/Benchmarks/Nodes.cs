namespace Benchmarks;

/// <summary>
/// What more nodes bring: one, two and four processes of the web service on one database, over HTTP, with clients at
/// any node and at the node that has the key's lane; beside as many processes that share nothing but the server.
/// </summary>
internal static class Nodes
{
    private const int InFlight = 256;
    private const string One = "1 node";

    /// <summary>For each process of the service: its compiler shares the processors with those of the others.</summary>
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(8);

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        (int Nodes, NodeUse Use)[] all =
        [
            (1, NodeUse.Routed), (2, NodeUse.Any), (2, NodeUse.Routed), (2, NodeUse.Apart),
            (4, NodeUse.Any), (4, NodeUse.Routed), (4, NodeUse.Apart),
        ];
        var rounds = new Rounds($"signal round trips over HTTP, {InFlight} in flight, by nodes");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var measured = new Dictionary<string, (double Rate, double Commits)>();
            for (var i = 0; i < all.Length; i++)
            {
                var (nodes, use) = all[(round + i) % all.Length];
                measured[Name(nodes, use)] = await MeasureAsync(context, nodes, use, cancellationToken);
            }

            foreach (var (name, (rate, commits)) in measured.OrderBy(one => one.Key, StringComparer.Ordinal))
            {
                rounds.Add($"{name}, workflows/s", rate);
                rounds.Add($"{name}, commits a workflow", commits);
                if (name != One)
                {
                    rounds.Add(Share(name), rate / measured[One].Rate);
                    rounds.Add(Commits(name), commits / measured[One].Commits);
                }
            }

            await NodeLatency.MeasureAsync(context, rounds, cancellationToken);
        }

        rounds.Print();
        foreach (var (nodes, use, share) in new[]
        {
            (2, NodeUse.Any, 0.7), (4, NodeUse.Any, 0.55), (2, NodeUse.Routed, 0.9), (4, NodeUse.Routed, 0.9),
        })
        {
            var name = Share(Name(nodes, use));
            Rounds.Target(name, rounds.Median(name), share, atLeast: true);
        }

        var commitsOfTwo = Commits(Name(2, NodeUse.Any));
        Rounds.Target(commitsOfTwo, rounds.Median(commitsOfTwo), 1.5, atLeast: false);
        Rounds.Target(NodeLatency.Forwarded, rounds.Median(NodeLatency.Forwarded), 1.5, atLeast: false);
        Rounds.Target(NodeLatency.Hanging, rounds.Median(NodeLatency.Hanging), 1.5, atLeast: false);
    }

    private static string Name(int nodes, NodeUse use) => nodes == 1 ? One : use switch
    {
        NodeUse.Any => $"{nodes} nodes, clients at any",
        NodeUse.Routed => $"{nodes} nodes, clients at the owner",
        _ => $"{nodes} processes that share nothing",
    };

    private static string Share(string name) => $"{name}: share of one node's rate";

    private static string Commits(string name) => $"{name}: commits a workflow, of one node's";

    private static async Task<(double Rate, double Commits)> MeasureAsync(
        BenchmarkContext context, int nodes, NodeUse use, CancellationToken cancellationToken)
    {
        await using var cluster = await NodeCluster.StartAsync(context, nodes, use, cancellationToken);
        await ClosedLoop.WarmUpAsync(InFlight, cluster.OperateAsync, cancellationToken);
        await ClosedLoop.RunAsync(InFlight, s_warmUp * nodes, cluster.OperateAsync, cancellationToken);
        var before = await cluster.CountAsync(cancellationToken);
        var (operations, seconds) = await ClosedLoop.RunAsync(
            InFlight, context.Duration, cluster.OperateAsync, cancellationToken);
        var after = await cluster.CountAsync(cancellationToken);
        return after.Completed - before.Completed == operations
            ? (operations / seconds, (after.Commits - before.Commits) / (double)operations)
            : throw new InvalidOperationException(
                $"{operations} workflows were run and {after.Completed - before.Completed} completed: there is no "
                + "rate.");
    }
}
