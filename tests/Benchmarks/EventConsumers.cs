using LoadTesting.Core.Load.Events;

namespace Benchmarks;

/// <summary>
/// What MassTransit consumers cost: the transport alone, then signal round trips whose operations end when the consumer
/// has seen the completion, as a share of the server's commits and of the transport.
/// </summary>
internal static class EventConsumers
{
    private const int InFlight = 256;
    private const int WarmUpOperations = 200;
    private const int SerialOperations = 1_000;

    /// <summary>A workflow that costs what the engine and the transport cost one after the other has 1.</summary>
    private const string ShareOfBoth = "engine, share of the rate of engine and transport one after the other";

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("signal round trips with MassTransit consumers, in-memory transport");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var ceiling = await context.Pgbench.CommitsPerSecondAsync(16, cancellationToken);
            rounds.Add("pgbench, 16 clients, commits/s", ceiling);
            var transport = await MeasureTransportAsync(context, rounds, cancellationToken);
            var alone = await MeasureEngineAsync(context, cancellationToken);
            rounds.Add($"engine alone, {InFlight} in flight, workflows/s", alone);
            var rate = await MeasureRateAsync(context, cancellationToken);
            rounds.Add($"engine, {InFlight} in flight, workflows/s", rate);
            rounds.Add($"engine, {InFlight} in flight, workflows per pgbench commit", rate / ceiling);
            rounds.Add($"engine, {InFlight} in flight, share of the transport", rate / transport);
            rounds.Add(ShareOfBoth, rate * ((1 / alone) + (1 / transport)));
            var commit = 1_000 / await context.Pgbench.CommitsPerSecondAsync(1, cancellationToken);
            rounds.Add("pgbench, 1 client, ms per commit", commit);
            var p50 = await MeasureSerialAsync(context, cancellationToken);
            rounds.Add("engine, signalToFirstCompletion p50, ms", p50);
            rounds.Add("engine, signalToFirstCompletion p50 in commits", p50 / commit);
        }

        rounds.Print();
        Rounds.Target(ShareOfBoth, rounds.Median(ShareOfBoth), 0.85, atLeast: true);
    }

    private static Task<TransportUnderTest> StartAsync(CancellationToken cancellationToken) =>
        TransportUnderTest.StartAsync(async consume => await InMemoryEventBus.StartAsync(consume, cancellationToken));

    /// <returns>Events per second.</returns>
    private static async Task<double> MeasureTransportAsync(
        BenchmarkContext context, Rounds rounds, CancellationToken cancellationToken)
    {
        await using var transport = await StartAsync(cancellationToken);
        var warmUp = await ClosedLoop.WarmUpAsync(InFlight, OperateAsync, cancellationToken);
        var (events, seconds) = await ClosedLoop.RunAsync(InFlight, context.Duration, OperateAsync, cancellationToken);
        rounds.Add($"transport alone, {InFlight} publishers, events/s", events / seconds);
        var (alone, aloneSeconds) = await PublishAloneAsync(transport, context.Duration, cancellationToken);
        rounds.Add($"transport alone, one publisher, events/s", alone / aloneSeconds);
        var p50 = await SerialP50Async(async () =>
        {
            var since = Stopwatch.GetTimestamp();
            return (since,
                await TransportUnderTest.ArrivalAsync(
                    await transport.PublishAsync(cancellationToken), cancellationToken));
        });
        rounds.Add("transport alone, publish to consume p50, ms", p50);
        transport.RequireBalance(warmUp + events + alone + WarmUpOperations + SerialOperations);
        return events / seconds;

        async Task OperateAsync(CancellationToken token) =>
            await TransportUnderTest.ArrivalAsync(await transport.PublishAsync(token), token);
    }

    /// <summary>Publishes as a lane does: one call at a time, with a bounded number of unconsumed events.</summary>
    private static async Task<(long Events, double Seconds)> PublishAloneAsync(
        TransportUnderTest transport, TimeSpan duration, CancellationToken cancellationToken)
    {
        var outstanding = new Queue<EventWait>();
        var since = Stopwatch.GetTimestamp();
        long events = 0;
        for (; Stopwatch.GetElapsedTime(since) < duration; events++)
        {
            if (outstanding.Count == InFlight)
            {
                await TransportUnderTest.ArrivalAsync(outstanding.Dequeue(), cancellationToken);
            }

            outstanding.Enqueue(await transport.PublishAsync(cancellationToken));
        }

        foreach (var wait in outstanding)
        {
            await TransportUnderTest.ArrivalAsync(wait, cancellationToken);
        }

        return (events, Stopwatch.GetElapsedTime(since).TotalSeconds);
    }

    /// <returns>Workflows per second while nothing reads their events.</returns>
    private static async Task<double> MeasureEngineAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await ClosedLoop.WarmUpAsync(InFlight, OperateAsync, cancellationToken);
        var (workflows, seconds) =
            await ClosedLoop.RunAsync(InFlight, context.Duration, OperateAsync, cancellationToken);
        return workflows / seconds;

        Task OperateAsync(CancellationToken token) => subject.OperateAsync(Guid.CreateVersion7().ToString(), token);
    }

    /// <returns>Workflows per second, from the start to the consumer's sight of the completion.</returns>
    private static async Task<double> MeasureRateAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var transport = await StartAsync(cancellationToken);
        await using var subject = await EngineUnderTest.StartAsync(context, [transport.Publisher], cancellationToken);
        var warmUp = await ClosedLoop.WarmUpAsync(InFlight, OperateAsync, cancellationToken);
        var (workflows, seconds) =
            await ClosedLoop.RunAsync(InFlight, context.Duration, OperateAsync, cancellationToken);
        await RequireBalanceAsync(subject, transport, warmUp + workflows, cancellationToken);
        return workflows / seconds;

        async Task OperateAsync(CancellationToken token)
        {
            var requestId = Guid.CreateVersion7().ToString();
            var wait = transport.Expect(requestId);
            await subject.Engine.StartAsync(EngineUnderTest.Start(requestId), token);
            await subject.Engine.SignalAsync(EngineUnderTest.Resume(requestId), token);
            await TransportUnderTest.ArrivalAsync(wait, token);
        }
    }

    /// <returns>Milliseconds from just before the signal to the first line of the consumer's callback.</returns>
    private static async Task<double> MeasureSerialAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var transport = await StartAsync(cancellationToken);
        await using var subject = await EngineUnderTest.StartAsync(context, [transport.Publisher], cancellationToken);
        var p50 = await SerialP50Async(async () =>
        {
            var requestId = Guid.CreateVersion7().ToString();
            var wait = transport.Expect(requestId);
            await subject.Engine.StartAsync(EngineUnderTest.Start(requestId), cancellationToken);
            var since = Stopwatch.GetTimestamp();
            await subject.Engine.SignalAsync(EngineUnderTest.Resume(requestId), cancellationToken);
            return (since, await TransportUnderTest.ArrivalAsync(wait, cancellationToken));
        });
        await RequireBalanceAsync(subject, transport, WarmUpOperations + SerialOperations, cancellationToken);
        return p50;
    }

    /// <summary>The median of one operation at a time, in milliseconds.</summary>
    private static async Task<double> SerialP50Async(Func<Task<(long Since, long Until)>> operateAsync)
    {
        var latencies = new List<double>(SerialOperations);
        for (var i = 0; i < WarmUpOperations + SerialOperations; i++)
        {
            var (since, until) = await operateAsync();
            if (i >= WarmUpOperations)
            {
                latencies.Add(Stopwatch.GetElapsedTime(since, until).TotalMilliseconds);
            }
        }

        return latencies.Order().ElementAt(latencies.Count / 2);
    }

    private static async Task RequireBalanceAsync(
        EngineUnderTest subject, TransportUnderTest transport, long expected, CancellationToken cancellationToken)
    {
        await subject.Engine.WaitForIdleAsync(cancellationToken);
        var engine = subject.Engine.Statistics;
        if (engine.Started != expected || engine.Completed != expected || engine.LiveInstances != 0)
        {
            throw new InvalidOperationException($"{expected} workflows were run, "
                + $"but the engine started {engine.Started}, completed "
                + $"{engine.Completed} and has {engine.LiveInstances} left: "
                + "the ledger does not balance, so there is no rate.");
        }

        transport.RequireBalance(expected);
    }
}
