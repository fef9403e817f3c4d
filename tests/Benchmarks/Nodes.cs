namespace Benchmarks;

/// <summary>
/// What more nodes bring: one, two and four processes of the web service on one database, over HTTP, with clients at
/// any node and at the node that has the key's lane.
/// </summary>
internal static class Nodes
{
    private const int InFlight = 256;
    private const string One = "1 node";

    /// <summary>For each process of the service: its compiler shares the processors with those of the others.</summary>
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(8);

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        (int Nodes, bool IsRouted)[] all = [(1, true), (2, false), (2, true), (4, false), (4, true)];
        var rounds = new Rounds($"signal round trips over HTTP, {InFlight} in flight, by nodes");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var measured = new Dictionary<string, (double Rate, double Commits)>();
            for (var i = 0; i < all.Length; i++)
            {
                var (nodes, isRouted) = all[(round + i) % all.Length];
                measured[Name(nodes, isRouted)] = await MeasureAsync(context, nodes, isRouted, cancellationToken);
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
        foreach (var (nodes, isRouted, share) in new[]
            { (2, false, 0.7), (4, false, 0.55), (2, true, 0.9), (4, true, 0.9) })
        {
            var name = Share(Name(nodes, isRouted));
            Rounds.Target(name, rounds.Median(name), share, atLeast: true);
        }

        Rounds.Target(
            Commits(Name(2, isRouted: false)), rounds.Median(Commits(Name(2, isRouted: false))), 1.5, atLeast: false);
        Rounds.Target(NodeLatency.Forwarded, rounds.Median(NodeLatency.Forwarded), 1.5, atLeast: false);
        Rounds.Target(NodeLatency.Hanging, rounds.Median(NodeLatency.Hanging), 1.5, atLeast: false);
    }

    private static string Name(int nodes, bool isRouted) =>
        nodes == 1 ? One : $"{nodes} nodes, clients at {(isRouted ? "the owner" : "any")}";

    private static string Share(string name) => $"{name}: share of one node's rate";

    private static string Commits(string name) => $"{name}: commits a workflow, of one node's";

    private static async Task<(double Rate, double Commits)> MeasureAsync(
        BenchmarkContext context, int nodes, bool isRouted, CancellationToken cancellationToken)
    {
        await using var cluster = await NodeCluster.StartAsync(context, nodes, cancellationToken);
        await ClosedLoop.WarmUpAsync(InFlight, OperateAsync, cancellationToken);
        await ClosedLoop.RunAsync(InFlight, s_warmUp * nodes, OperateAsync, cancellationToken);
        var before = await cluster.CountAsync(cancellationToken);
        var (operations, seconds) = await ClosedLoop.RunAsync(
            InFlight, context.Duration, OperateAsync, cancellationToken);
        var after = await cluster.CountAsync(cancellationToken);
        return after.Completed - before.Completed == operations
            ? (operations / seconds, (after.Commits - before.Commits) / (double)operations)
            : throw new InvalidOperationException(
                $"{operations} workflows were run and {after.Completed - before.Completed} completed: there is no "
                + "rate.");

        Task OperateAsync(CancellationToken token) => cluster.OperateAsync(isRouted, token);
    }
}
