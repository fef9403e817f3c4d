namespace Benchmarks;

/// <summary>Workflows per second, from start to signal to completion, each with durable acknowledgements.</summary>
internal static class SignalRoundtrip
{
    /// <summary>Commits should depend on what is in flight, and not on how many lanes it is spread over.</summary>
    private static readonly (int InFlight, int Lanes)[] Loads = [(256, 1), (16, 1), (16, 2), (16, 8)];

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("signal round trips in process");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var ceiling = await context.Pgbench.CommitsPerSecondAsync(16, cancellationToken);
            rounds.Add("pgbench, 16 clients, commits/s", ceiling);
            foreach (var (inFlight, lanes) in Loads)
            {
                var load = Name(inFlight, lanes);
                var (rate, commits, flushes, log, allocated) =
                    await MeasureAsync(context, inFlight, lanes, cancellationToken);
                rounds.Add($"{load}, workflows/s", rate);
                rounds.Add($"{load}, workflows per pgbench commit", rate / ceiling);
                rounds.Add($"{load}, commits per workflow (server)", commits);
                rounds.Add($"{load}, flushes of lanes per workflow (engine)", flushes);
                rounds.Add($"{load}, WAL per workflow, bytes", log);
                rounds.Add($"{load}, allocated with its clients per workflow, bytes", allocated);
            }
        }

        rounds.Print();
        Rounds.Target("256 in flight, workflows per pgbench commit",
            rounds.Median($"{Name(256, 1)}, workflows per pgbench commit"), 1.5, atLeast: true);
        Rounds.Target("256 in flight, WAL per workflow, bytes",
            rounds.Median($"{Name(256, 1)}, WAL per workflow, bytes"), 1_400, atLeast: false);
        Rounds.Target("256 in flight, allocated with its clients per workflow, bytes",
            rounds.Median($"{Name(256, 1)}, allocated with its clients per workflow, bytes"), 8_192, atLeast: false);
        foreach (var (inFlight, lanes) in Loads.Where(load => load.InFlight == 16))
        {
            Rounds.Target($"{Name(inFlight, lanes)}, commits per workflow",
                rounds.Median($"{Name(inFlight, lanes)}, commits per workflow (server)"), 0.16, atLeast: false);
        }
    }

    private static string Name(int inFlight, int lanes) => $"{inFlight} in flight, lanes: {lanes}";

    private static async Task<(double Rate, double Commits, double Flushes, double Log, double Allocated)> MeasureAsync(
        BenchmarkContext context, int inFlight, int lanes, CancellationToken cancellationToken)
    {
        await using var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken, lanes);
        await ClosedLoop.WarmUpAsync(inFlight, OperateAsync, cancellationToken);
        var before = subject.Engine.Statistics;
        var allocatedBefore = GC.GetTotalAllocatedBytes();
        var commitsBefore = await context.CommitsAsync(cancellationToken);
        var logBefore = await context.LogBytesAsync(cancellationToken);
        var (_, seconds) = await ClosedLoop.RunAsync(inFlight, context.Duration, OperateAsync, cancellationToken);
        var allocated = GC.GetTotalAllocatedBytes() - allocatedBefore;
        var after = subject.Engine.Statistics;
        var completed = after.Completed - before.Completed;
        if (after.Started != after.Completed || after.LiveInstances != 0)
        {
            throw new InvalidOperationException($"Started {after.Started}, completed {after.Completed}, "
                + $"live {after.LiveInstances}: the "
                + "ledger does not balance, so there is no rate.");
        }

        var flushes = after.Flushes - before.Flushes;
        var log = await context.LogBytesAsync(cancellationToken) - logBefore;
        await subject.DisposeAsync();
        var commits = await context.CommitsAsync(cancellationToken) - commitsBefore;
        return (completed / seconds, (double)commits / completed, (double)flushes / completed, (double)log / completed,
            (double)allocated / completed);

        Task OperateAsync(CancellationToken token) => subject.OperateAsync(Guid.CreateVersion7().ToString(), token);
    }
}
