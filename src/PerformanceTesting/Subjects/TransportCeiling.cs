namespace PerformanceTesting.Subjects;

/// <summary>What a transport does when the system under test costs nothing: no engine can be faster over it.</summary>
/// <param name="EventsPerSecond">
/// From the publish to the first line of the consumer's callback, <see cref="InFlight"/> at a time.
/// </param>
/// <param name="PublishToConsumeMs">Median of one event at a time, milliseconds.</param>
public sealed record TransportCeiling(double EventsPerSecond, double PublishToConsumeMs)
{
    /// <summary>As many as a lane has on their way and the consumer takes at a time.</summary>
    public const int InFlight = 256;

    private const int SerialEvents = 200;
    private static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(400);
    private static readonly TimeSpan Span = TimeSpan.FromMilliseconds(600);

    /// <summary>How the figures came about, for a result.</summary>
    public static string Method { get; } =
        "Transport: events of one completion each, published and consumed in this process without an engine, "
            + $"{InFlight} at a time for {Span.TotalSeconds} s after {WarmUp.TotalSeconds} s to warm up, then "
            + $"{SerialEvents} one at a time; every event was accounted for.";

    /// <summary>Measures, and requires that every event came once.</summary>
    /// <exception cref="InvalidOperationException">An event was lost or doubled.</exception>
    public static async Task<TransportCeiling> MeasureAsync(
        TransportUnderTest transport, CancellationToken cancellationToken)
    {
        var (warmUp, _) = await RunAsync(transport, WarmUp, cancellationToken);
        var (events, seconds) = await RunAsync(transport, Span, cancellationToken);
        var latencies = new List<double>(SerialEvents);
        for (var i = 0; i < SerialEvents; i++)
        {
            var since = Stopwatch.GetTimestamp();
            var arrived = await TransportUnderTest.ArrivalAsync(
                await transport.PublishAsync(cancellationToken), cancellationToken);
            latencies.Add(Stopwatch.GetElapsedTime(since, arrived).TotalMilliseconds);
        }

        transport.RequireBalance(warmUp + events + SerialEvents);
        return new TransportCeiling(events / seconds, latencies.Order().ElementAt(SerialEvents / 2));
    }

    private static async Task<(long Events, double Seconds)> RunAsync(
        TransportUnderTest transport, TimeSpan span, CancellationToken cancellationToken)
    {
        var since = Stopwatch.GetTimestamp();
        var counts =
            await Task.WhenAll(Enumerable.Range(0, InFlight).Select(_ => Task.Run(KeepOneAsync, cancellationToken)));
        return (counts.Sum(), Stopwatch.GetElapsedTime(since).TotalSeconds);

        async Task<long> KeepOneAsync()
        {
            long events = 0;
            for (; Stopwatch.GetElapsedTime(since) < span; events++)
            {
                await TransportUnderTest.ArrivalAsync(
                    await transport.PublishAsync(cancellationToken), cancellationToken);
            }

            return events;
        }
    }
}
