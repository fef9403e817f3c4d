namespace Benchmarks;

/// <summary>
/// Linear workflows per second, started over HTTP by an outside client, each answered once it is durable (it then is
/// complete too), between its ceilings: the server's commits, the service's empty requests, and the same starts without
/// a database.
/// </summary>
internal static class HttpLinear
{
    private const int Connections = 32;

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds($"linear workflows over HTTP, hey with {Connections} connections");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var ceiling = await context.Pgbench.CommitsPerSecondAsync(16, cancellationToken);
            rounds.Add("pgbench, 16 clients, commits/s", ceiling);
            await MeasurePostgresAsync(context, rounds, ceiling, cancellationToken);
            await MeasureMemoryAsync(context, rounds, cancellationToken);
        }

        rounds.Print();
        Rounds.Target("workflows per pgbench commit", rounds.Median("postgres, workflows per pgbench commit"), 0.4,
            atLeast: true);
    }

    private static async Task MeasurePostgresAsync(
        BenchmarkContext context, Rounds rounds, double ceiling, CancellationToken cancellationToken)
    {
        var client = new HeyClient(Connections);
        var commitsBefore = await context.CommitsAsync(cancellationToken);
        var options =
            new WebServiceOptions
                { Provider = "Postgres", ConnectionString = context.ConnectionString, Schema = context.NewSchema() };
        await using var service = await LinearService.StartAsync(options, cancellationToken);
        var (before, warmUp) = await service.WarmUpAsync(client, cancellationToken);
        var result = await service.LoadAsync(client, context.Duration, cancellationToken);
        var measured = result.OnlyStatus(201);
        var after = await service.CountAsync(cancellationToken);
        after.RequireCompleted(before.Completed + measured);
        rounds.Add("postgres, warm-up until compiled, s", warmUp.TotalSeconds);
        rounds.Add("postgres, workflows/s", result.RequestsPerSecond);
        rounds.Add("postgres, workflows per pgbench commit", result.RequestsPerSecond / ceiling);
        rounds.Add("postgres, flushes per workflow (engine)", (double)(after.Flushes - before.Flushes) / measured);
        rounds.Add("postgres, service processor time per workflow, us", after.MicrosecondsEach(before, measured));

        var idle = await service.LoadIdleAsync(client, context.Duration, cancellationToken);
        rounds.Add("empty requests (GET /health/live)/s", idle.RequestsPerSecond);
        rounds.Add("empty request, service processor time, us", (await service.CountAsync(cancellationToken))
            .MicrosecondsEach(after, idle.OnlyStatus(200)));
        rounds.Add("postgres, workflows per empty request", result.RequestsPerSecond / idle.RequestsPerSecond);

        // Over the whole life of the service, because a session may report its commits only when it ends.
        await service.StopAsync(cancellationToken);
        var commits = await context.CommitsAsync(cancellationToken) - commitsBefore;
        rounds.Add("postgres, commits per workflow (server)", (double)commits / after.Completed);
    }

    private static async Task MeasureMemoryAsync(
        BenchmarkContext context, Rounds rounds, CancellationToken cancellationToken)
    {
        var client = new HeyClient(Connections);
        await using var service = await LinearService.StartAsync(new() { Provider = "Memory" }, cancellationToken);
        var (before, _) = await service.WarmUpAsync(client, cancellationToken);
        var result = await service.LoadAsync(client, context.Duration, cancellationToken);
        var measured = result.OnlyStatus(201);
        var after = await service.CountAsync(cancellationToken);
        after.RequireCompleted(before.Completed + measured);
        rounds.Add("memory store, workflows/s", result.RequestsPerSecond);
        rounds.Add("memory store, service processor time per workflow, us", after.MicrosecondsEach(before, measured));
    }
}
