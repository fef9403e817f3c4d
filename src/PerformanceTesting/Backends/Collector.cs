using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Backends;

/// <summary>Counts what a server does from the moment it was started.</summary>
public interface ICollector : IAsyncDisposable
{
    /// <summary>Seconds that sessions spent in each wait until now, all sessions together; null where they are not looked at.</summary>
    IReadOnlyDictionary<string, double>? WaitSeconds => null;

    Task<CollectedCounters> StopAsync(CancellationToken cancellationToken);
}

/// <summary>Adds what a server counted to the section <c>backend</c> of a result, beside what other servers counted.</summary>
public sealed class CountersObserver(Func<CancellationToken, Task<ICollector>> start) : IRunObserver, ITimelineSource
{
    private ICollector? _collector;
    private CollectedCounters? _counted;

    public async Task StartAsync(CancellationToken cancellationToken) => _collector = await start(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken) =>
        _counted = await (_collector ?? throw new InvalidOperationException("It was not started.")).StopAsync(cancellationToken);

    public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
        ValueTask.FromResult(new TimelineReading { WaitSeconds = _collector?.WaitSeconds });

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence)
    {
        var counted = _counted ?? throw new InvalidOperationException("It was not stopped.");
        evidence.Counters = evidence.Counters is { } others ? others.With(counted) : counted;
        return result with { Backend = evidence.Counters.ToResult(evidence.Completed) };
    }

    public ValueTask DisposeAsync() => _collector?.DisposeAsync() ?? ValueTask.CompletedTask;
}

/// <summary>What a collector itself asked of the server: it belongs to the result, since it ran on the same machine. Thread-safe.</summary>
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
