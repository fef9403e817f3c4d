namespace PerformanceTesting.Backends;

/// <summary>
/// What a collector itself asked of the server: it belongs to the result, since it ran on the same machine.
/// Thread-safe.
/// </summary>
internal sealed class CollectorCost
{
    private long _queries;
    private long _ticks;

    public long Queries => Interlocked.Read(ref _queries);

    /// <summary>Time spent waiting for answers, milliseconds.</summary>
    public double Milliseconds => Stopwatch.GetElapsedTime(0, Interlocked.Read(ref _ticks)).TotalMilliseconds;

    /// <summary>Counts a question, whatever comes of it.</summary>
    public async Task<T> TimeAsync<T>(Func<Task<T>> ask)
    {
        var start = Stopwatch.GetTimestamp();
        try
        {
            return await ask();
        }
        finally
        {
            Interlocked.Increment(ref _queries);
            Interlocked.Add(ref _ticks, Stopwatch.GetTimestamp() - start);
        }
    }
}
