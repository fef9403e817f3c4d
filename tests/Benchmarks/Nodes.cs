using Workflow.Engine.Instances;

namespace Benchmarks;

/// <summary>
/// What several nodes on one store cost: one, two and four engines, each with its lanes, committer and connection, in
/// turn. Clients send to the node that owns the key, and to any node.
/// </summary>
internal static class Nodes
{
    private const int InFlight = 256;
    private const int Lanes = 4;
    private static readonly TimeSpan s_longestRest = TimeSpan.FromSeconds(10);

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds($"signal round trips, {InFlight} in flight, {Lanes} lanes, by nodes");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var one = await RateAsync(context, 1, isRouted: true, cancellationToken);
            rounds.Add("1 node, workflows/s", one);
            foreach (var (nodes, isRouted) in new[] { (2, true), (4, true), (2, false), (4, false) })
            {
                var rate = await RateAsync(context, nodes, isRouted, cancellationToken);
                rounds.Add($"{Name(nodes, isRouted)}, workflows/s", rate);
                rounds.Add($"{Name(nodes, isRouted)}, share of one node's rate", rate / one);
            }
        }

        rounds.Print();
        Rounds.Target($"{Name(2, isRouted: true)}, share of one node's rate",
            rounds.Median($"{Name(2, isRouted: true)}, share of one node's rate"), 0.85, atLeast: true);
    }

    private static string Name(
        int nodes, bool isRouted) => $"{nodes} nodes, {(isRouted ? "clients at the owner" : "any node")}";

    private static async Task<double> RateAsync(
        BenchmarkContext context, int count, bool isRouted, CancellationToken cancellationToken)
    {
        var (schema, nodes, next) = (context.NewSchema(), new List<EngineUnderTest>(), 0);
        try
        {
            while (nodes.Count < count)
            {
                nodes.Add(await EngineUnderTest.StartAsync(context, [], cancellationToken, Lanes, schema: schema));
            }

            var owners = await OwnersAsync(nodes, cancellationToken);
            await AllCompletedAsync(await ClosedLoop.WarmUpAsync(InFlight, OperateAsync, cancellationToken));
            var (before, since) = (Completed(), Stopwatch.GetTimestamp());
            var (operations, _) =
                await ClosedLoop.RunAsync(InFlight, context.Duration, OperateAsync, cancellationToken);
            await AllCompletedAsync(before + operations);
            return operations / Stopwatch.GetElapsedTime(since).TotalSeconds;

            // A signal in the inbox of another node is acknowledged before it is applied.
            async Task AllCompletedAsync(long expected)
            {
                var rest = Stopwatch.GetTimestamp();
                while (Completed() < expected && Stopwatch.GetElapsedTime(rest) < s_longestRest)
                {
                    await Task.Delay(1, cancellationToken);
                }

                if (Completed() != expected)
                {
                    throw new InvalidOperationException(
                        $"{expected} workflows were signalled and {Completed()} completed: there is no rate.");
                }
            }

            long Completed() => nodes.Sum(node => node.Engine.Statistics.Completed);

            Task OperateAsync(CancellationToken token)
            {
                var requestId = Guid.CreateVersion7().ToString();
                var node = isRouted
                    ? owners[Partitioning.OfKey(requestId) % Lanes] : nodes[Interlocked.Increment(ref next) % count];
                return node.OperateAsync(requestId, token);
            }
        }
        finally
        {
            foreach (var node in nodes)
            {
                await node.DisposeAsync();
            }
        }
    }

    /// <summary>Waits until the lanes are divided among all nodes.</summary>
    /// <returns>Who owns each lane.</returns>
    private static async Task<EngineUnderTest[]> OwnersAsync(
        List<EngineUnderTest> nodes, CancellationToken cancellationToken)
    {
        while (true)
        {
            var owned = nodes.SelectMany(
                node => (node.Engine.Statistics.Cluster?.OwnedLanes ?? []).Select(lane => (lane, node))).ToArray();
            if (owned.Length == Lanes
                && nodes.TrueForAll(node => owned.Count(one => one.node == node) == Lanes / nodes.Count))
            {
                return [.. owned.OrderBy(one => one.lane).Select(one => one.node)];
            }

            await Task.Delay(20, cancellationToken);
        }
    }
}
