using Workflow.Contracts.Events;

namespace Benchmarks;

/// <summary>One workflow at a time: from just before the signal to the completion event, beside one client's commits.</summary>
internal static class SerialLatency
{
    private const int WarmUp = 200;
    private const int Operations = 1_000;

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("serial latency in process");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var commit = 1_000 / await context.Pgbench.CommitsPerSecondAsync(1, cancellationToken);
            rounds.Add("pgbench, 1 client, ms per commit", commit);
            var p50 = await MeasureAsync(context, cancellationToken);
            rounds.Add("signalToFirstCompletion p50, ms", p50);
            rounds.Add("signalToFirstCompletion p50 in commits", p50 / commit);
        }

        rounds.Print();
        Rounds.Target("signalToFirstCompletion p50 in single-client commits", rounds.Median("signalToFirstCompletion p50 in commits"), 2,
            atLeast: false);
    }

    private static async Task<double> MeasureAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await using var events = subject.Engine.ReadEventsAsync(null, cancellationToken).GetAsyncEnumerator(cancellationToken);
        var latencies = new List<double>();
        for (var i = 0; i < WarmUp + Operations; i++)
        {
            var requestId = Guid.CreateVersion7().ToString();
            await subject.Engine.StartAsync(EngineUnderTest.Start(requestId), cancellationToken);
            var since = Stopwatch.GetTimestamp();
            var signal = subject.Engine.SignalAsync(EngineUnderTest.Resume(requestId), cancellationToken);
            await events.MoveNextAsync();
            var elapsed = Stopwatch.GetElapsedTime(since);
            await signal;
            if (events.Current.Event is not InstanceCompleted completed || completed.CorrelationKey != requestId)
            {
                throw new InvalidOperationException(
                    $"Expected the completion of {requestId}, got {events.Current.Event.Type} of {events.Current.Event.CorrelationKey}.");
            }

            if (i >= WarmUp)
            {
                latencies.Add(elapsed.TotalMilliseconds);
            }
        }

        return latencies.Order().ElementAt(latencies.Count / 2);
    }
}
