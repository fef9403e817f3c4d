namespace Benchmarks;

/// <summary>Workflows per second, start to signal to completion, each waiting for its own durable acknowledgements.</summary>
internal static class SignalRoundtrip
{
    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("signal round trips in process");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var ceiling = await context.Pgbench.CommitsPerSecondAsync(16, cancellationToken);
            rounds.Add("pgbench, 16 clients, commits/s", ceiling);
            foreach (var inFlight in new[] { 256, 16 })
            {
                var (rate, commits, flushes) = await MeasureAsync(context, inFlight, cancellationToken);
                rounds.Add($"{inFlight} in flight, workflows/s", rate);
                rounds.Add($"{inFlight} in flight, workflows per pgbench commit", rate / ceiling);
                rounds.Add($"{inFlight} in flight, commits per workflow (server)", commits);
                rounds.Add($"{inFlight} in flight, flushes per workflow (engine)", flushes);
            }
        }

        rounds.Print();
        Rounds.Target("256 in flight, workflows per pgbench commit", rounds.Median("256 in flight, workflows per pgbench commit"), 0.8,
            atLeast: true);
        Rounds.Target(
            "256 in flight, commits per workflow", rounds.Median("256 in flight, commits per workflow (server)"), 0.05, atLeast: false);
        Rounds.Target(
            "16 in flight, commits per workflow", rounds.Median("16 in flight, commits per workflow (server)"), 0.5, atLeast: false);
    }

    private static async Task<(double Rate, double Commits, double Flushes)> MeasureAsync(
        BenchmarkContext context, int inFlight, CancellationToken cancellationToken)
    {
        await using var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await ClosedLoop.WarmUpAsync(inFlight, OperateAsync, cancellationToken);
        var before = subject.Engine.Statistics;
        var commitsBefore = await context.CommitsAsync(cancellationToken);
        var (_, seconds) = await ClosedLoop.RunAsync(inFlight, context.Duration, OperateAsync, cancellationToken);
        var after = subject.Engine.Statistics;
        var completed = after.Completed - before.Completed;
        if (after.Started != after.Completed || after.LiveInstances != 0)
        {
            throw new InvalidOperationException($"Started {after.Started}, completed {after.Completed}, live {after.LiveInstances}: the "
                + "ledger does not balance, so there is no rate.");
        }

        var flushes = after.Flushes - before.Flushes;
        await subject.DisposeAsync();
        var commits = await context.CommitsAsync(cancellationToken) - commitsBefore;
        return (completed / seconds, (double)commits / completed, (double)flushes / completed);

        async Task OperateAsync(CancellationToken token)
        {
            var requestId = Guid.CreateVersion7().ToString();
            await subject.Engine.StartAsync(EngineUnderTest.Start(requestId), token);
            await subject.Engine.SignalAsync(EngineUnderTest.Resume(requestId), token);
        }
    }
}
