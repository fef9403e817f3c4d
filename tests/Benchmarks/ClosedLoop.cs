namespace Benchmarks;

/// <summary>A number of loops, each of which begins its next operation when its last one has ended.</summary>
internal static class ClosedLoop
{
    /// <summary>Loads until this process is warm.</summary>
    /// <returns>Operations that ended.</returns>
    public static async Task<long> WarmUpAsync(
        int inFlight, Func<CancellationToken, Task> operate, CancellationToken cancellationToken)
    {
        long total = 0;
        await WarmUpRule.RunAsync(
            async () => total += (await RunAsync(inFlight, WarmUpRule.Slice, operate, cancellationToken)).Operations);
        return total;
    }

    /// <summary>Runs a number of operations.</summary>
    /// <returns>How long all of them took together, in seconds.</returns>
    public static async Task<double> RunCountAsync(
        int inFlight, int count, Func<CancellationToken, Task> operate, CancellationToken cancellationToken)
    {
        var (since, begun) = (Stopwatch.GetTimestamp(), 0);
        await Task.WhenAll(Enumerable.Range(0, inFlight).Select(_ => Task.Run(LoopAsync, cancellationToken)));
        return Stopwatch.GetElapsedTime(since).TotalSeconds;

        async Task LoopAsync()
        {
            while (Interlocked.Increment(ref begun) <= count)
            {
                await operate(cancellationToken);
            }
        }
    }

    /// <param name="inFlight">Operations under way at a time.</param>
    /// <param name="duration">When no further operation begins.</param>
    /// <param name="operate">One operation.</param>
    /// <param name="cancellationToken">Ends it with an exception.</param>
    /// <returns>Operations that ended, and how long all of them really took together, in seconds.</returns>
    public static async Task<(long Operations, double Seconds)> RunAsync(
        int inFlight, TimeSpan duration, Func<CancellationToken, Task> operate, CancellationToken cancellationToken)
    {
        var since = Stopwatch.GetTimestamp();
        var counts =
            await Task.WhenAll(Enumerable.Range(0, inFlight).Select(_ => Task.Run(LoopAsync, cancellationToken)));
        return (counts.Sum(), Stopwatch.GetElapsedTime(since).TotalSeconds);

        async Task<long> LoopAsync()
        {
            long count = 0;
            for (; Stopwatch.GetElapsedTime(since) < duration; count++)
            {
                await operate(cancellationToken);
            }

            return count;
        }
    }
}
