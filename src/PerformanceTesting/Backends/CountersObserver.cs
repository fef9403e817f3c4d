using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Backends;

/// <summary>
/// Adds what a server counted to the section <c>backend</c> of a result, beside what other servers counted.
/// </summary>
public sealed class CountersObserver(Func<CancellationToken, Task<ICollector>> start) : IRunObserver, ITimelineSource
{
    private ICollector? _collector;
    private CollectedCounters? _counted;

    public async Task StartAsync(CancellationToken cancellationToken) => _collector = await start(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken) =>
        _counted = await (_collector ?? throw new InvalidOperationException("It was not started."))
            .StopAsync(cancellationToken);

    public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
        ValueTask.FromResult(new TimelineReading { WaitSeconds = _collector?.WaitSeconds });

    public void AddTo(RunEvidence evidence)
    {
        var counted = _counted ?? throw new InvalidOperationException("It was not stopped.");
        evidence.Counters = evidence.Counters is { } others ? others.With(counted) : counted;
        evidence.Backend = evidence.Counters.ToResult(evidence.Completed);
    }

    public ValueTask DisposeAsync() => _collector?.DisposeAsync() ?? ValueTask.CompletedTask;
}
