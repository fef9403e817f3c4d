namespace PerformanceTests.Calibration;

/// <summary>
/// A queue of several servers, each busy for a fixed time with every call. Who is served when follows from the clock, so its capacity is
/// servers / service time to the last digit, however late the timers of the machine are.
/// </summary>
internal sealed class QueueTarget(int servers, TimeSpan service)
{
    private readonly Lock _gate = new();
    private readonly PriorityQueue<int, long> _free = new(Enumerable.Range(0, servers).Select(server => (server, 0L)));
    private readonly long _service = (long)(service.TotalSeconds * Stopwatch.Frequency);

    internal double CapacityPerSecond => servers / service.TotalSeconds;

    /// <summary>Calls, and answers when the server that takes the call has done it.</summary>
    internal async Task<IResponse> CallAsync(IScenarioContext context)
    {
        long end;
        lock (_gate)
        {
            _free.TryDequeue(out var server, out var free);
            end = Math.Max(free, Stopwatch.GetTimestamp()) + _service;
            _free.Enqueue(server, end);
        }

        for (var now = Stopwatch.GetTimestamp(); now < end; now = Stopwatch.GetTimestamp())
        {
            await Task.Delay(TimeSpan.FromMilliseconds(Math.Ceiling(Stopwatch.GetElapsedTime(now, end).TotalMilliseconds)),
                context.ScenarioCancellationToken);
        }

        return Response.Ok();
    }
}
