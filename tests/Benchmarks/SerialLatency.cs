using Workflow.Contracts.Events;

namespace Benchmarks;

/// <summary>The latency of one workflow at a time, from signal to completion, beside one client's commits.</summary>
internal static class SerialLatency
{
    private const int Operations = 1_000;

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("serial latency in process");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var (commit, p50) = await MeasureAsync(context, cancellationToken);
            rounds.Add("pgbench, 1 client, ms per commit", commit);
            rounds.Add("signalToFirstCompletion p50, ms", p50);
            rounds.Add("signalToFirstCompletion p50 in commits", p50 / commit);
        }

        rounds.Print();
        Rounds.Target("signalToFirstCompletion p50 in single-client commits",
            rounds.Median("signalToFirstCompletion p50 in commits"), 2,
            atLeast: false);
    }

    private static async Task<(double Commit, double P50)> MeasureAsync(
        BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await using var events =
            subject.Engine.ReadEventsAsync(null, cancellationToken).GetAsyncEnumerator(cancellationToken);
        await ClosedLoop.WarmUpAsync(1, OperateAsync, cancellationToken);
        var commit = 1_000 / await context.Pgbench.CommitsPerSecondAsync(1, cancellationToken);
        var latencies = new List<double>(Operations);
        while (latencies.Count < Operations)
        {
            latencies.Add(await OperateAsync(cancellationToken));
        }

        return (commit, latencies.Order().ElementAt(Operations / 2));

        async Task<double> OperateAsync(CancellationToken token)
        {
            var requestId = Guid.CreateVersion7().ToString();
            await subject.Engine.StartAsync(EngineUnderTest.Start(requestId), token);
            var since = Stopwatch.GetTimestamp();
            var signal = subject.Engine.SignalAsync(EngineUnderTest.Resume(requestId), token);
            await events.MoveNextAsync();
            var elapsed = Stopwatch.GetElapsedTime(since);
            await signal;
            if (events.Current.Event is not InstanceCompleted completed || completed.CorrelationKey != requestId)
            {
                throw new InvalidOperationException(
                    $"Expected the completion of {requestId}, got {events.Current.Event.Type} of "
                        + $"{events.Current.Event.CorrelationKey}.");
            }

            return elapsed.TotalMilliseconds;
        }
    }
}
