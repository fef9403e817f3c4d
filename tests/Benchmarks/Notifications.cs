namespace Benchmarks;

/// <summary>The gain by Redis notifications for signals that enter at a node which does not own the instance.</summary>
internal static class Notifications
{
    private const int WarmUp = 100;
    private const int Serial = 100;
    private const int Concurrent = 1_000;
    private const int Callers = 16;

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var redis = await context.Catalog.ServerAsync(ServerKind.Redis, cancellationToken);
        var rounds = new Rounds("signals that enter at another node, two web services on one PostgreSQL");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var drivers = new[] { "Native", "Redis" };
            foreach (var driver in round % 2 == 0 ? drivers : drivers.Reverse())
            {
                await MeasureAsync(
                    context, rounds, driver, driver == "Redis" ? redis.ConnectionString : null, cancellationToken);
            }
        }

        rounds.Print();
    }

    private static async Task MeasureAsync(
        BenchmarkContext context, Rounds rounds, string driver, string? redis, CancellationToken cancellationToken)
    {
        var schema = context.NewSchema();
        var settings = new Dictionary<string, string> { ["WorkflowSignalDriver:Provider"] = driver };
        if (redis is not null)
        {
            settings["ConnectionStrings:Redis"] = redis;
        }

        var options = new WebServiceOptions
        {
            Provider = "Postgres",
            ConnectionString = context.ConnectionString,
            Schema = schema,
            Lanes = 2,
            Settings = settings,
        };
        await using var pair = await ServicePair.StartAsync(options, cancellationToken);
        await SignalAsync(pair, WarmUp, Callers, cancellationToken);
        var serial = await SignalAsync(pair, Serial, 1, cancellationToken);
        Add("one at a time", serial);
        var before = await ServicePair.CountAsync(pair.Entry, cancellationToken);
        Add($"{Callers} at a time", await SignalAsync(pair, Concurrent, Callers, cancellationToken));
        var after = await ServicePair.CountAsync(pair.Entry, cancellationToken);
        if (redis is not null)
        {
            double Of(string name) => (after[name] - before[name]) / Concurrent;
            rounds.Add($"{driver}, {Callers} at a time: notifications sent per signal",
                Of("workflow_notifications_sent_total"));
            rounds.Add($"{driver}, {Callers} at a time: notifications coalesced per signal",
                Of("workflow_notifications_coalesced_total"));
        }

        void Add(string load, IReadOnlyList<double> milliseconds)
        {
            rounds.Add($"{driver}, {load}: signal to completion p50, ms", milliseconds[milliseconds.Count / 2]);
            rounds.Add($"{driver}, {load}: signal to completion p95, ms", milliseconds[milliseconds.Count * 95 / 100]);
        }
    }

    /// <summary>Starts all instances first, then signals them.</summary>
    /// <returns>Latencies in ascending order.</returns>
    private static async Task<IReadOnlyList<double>> SignalAsync(
        ServicePair pair, int operations, int callers, CancellationToken cancellationToken)
    {
        var parallel = new ParallelOptions { MaxDegreeOfParallelism = callers, CancellationToken = cancellationToken };
        var instances = new Guid[operations];
        await ForAsync(operations, parallel, async (i, cancel) => instances[i] = await pair.StartInstanceAsync(cancel));
        var latencies = new double[operations];
        await ForAsync(
            operations, parallel,
            async (i, cancel) => latencies[i] = (await pair.SignalAsync(instances[i], cancel)).TotalMilliseconds);
        return pair.Doubled == 0
            ? [.. latencies.Order()] : throw new InvalidOperationException($"{pair.Doubled} completions came twice.");
    }

    private static Task ForAsync(int count, ParallelOptions options, Func<int, CancellationToken, Task> body) =>
        Parallel.ForAsync(0, count, options, async (i, cancel) => await body(i, cancel));
}
