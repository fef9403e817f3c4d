namespace PerformanceTesting.Backends;

/// <summary>How ceilings are measured, whatever the server.</summary>
internal static class CeilingLoop
{
    /// <summary>
    /// How often a second the clients do something together, each in sequence and once at least; a tenth of the time is
    /// a warm-up.
    /// </summary>
    public static async Task<double> PerSecondAsync(
        IReadOnlyList<Func<Task>> clients, TimeSpan span, CancellationToken cancellationToken)
    {
        await CountAsync(clients, span / 10, cancellationToken);
        return await CountAsync(clients, span, cancellationToken);
    }

    /// <summary>Median time that something takes, milliseconds, done for that long.</summary>
    public static async Task<double> MedianMsAsync(Func<Task> ask, TimeSpan span)
    {
        var times = new List<TimeSpan>();
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < span || times.Count == 0)
        {
            var before = Stopwatch.GetTimestamp();
            await ask();
            times.Add(Stopwatch.GetElapsedTime(before));
        }

        return times.Order().ElementAt(times.Count / 2).TotalMilliseconds;
    }

    private static async Task<double> CountAsync(
        IReadOnlyList<Func<Task>> clients, TimeSpan span, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var counts = await Task.WhenAll(clients.Select(once => Task.Run(
            async () =>
            {
                var count = 0L;
                do
                {
                    await once();
                    count++;
                }
                while (Stopwatch.GetElapsedTime(start) < span);

                return count;
            },
            cancellationToken)));
        return counts.Sum() / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }
}
