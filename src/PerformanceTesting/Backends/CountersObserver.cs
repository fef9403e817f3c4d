using LoadTesting.Core.Results;
using PerformanceTesting.Measurement;

namespace PerformanceTesting.Backends;

/// <summary>Counts what a server does from the moment it was started.</summary>
public interface ICollector : IAsyncDisposable
{
    /// <summary>Takes the last snapshot.</summary>
    Task<CollectedCounters> StopAsync(CancellationToken cancellationToken);
}

/// <summary>Adds what a server counted to the section <c>backend</c> of a result, beside what other servers counted.</summary>
/// <param name="start">Takes the first snapshot.</param>
public sealed class CountersObserver(Func<CancellationToken, Task<ICollector>> start) : IRunObserver
{
    private ICollector? _collector;
    private CollectedCounters? _counted;

    public async Task StartAsync(CancellationToken cancellationToken) => _collector = await start(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken) =>
        _counted = await (_collector ?? throw new InvalidOperationException("It was not started.")).StopAsync(cancellationToken);

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence)
    {
        ArgumentNullException.ThrowIfNull(result);
        ArgumentNullException.ThrowIfNull(evidence);
        var counted = _counted ?? throw new InvalidOperationException("It was not stopped.");
        evidence.Counters = evidence.Counters is { } others ? others.With(counted) : counted;
        return result with { Backend = evidence.Counters.ToResult(evidence.Completed) };
    }

    public ValueTask DisposeAsync() => _collector?.DisposeAsync() ?? ValueTask.CompletedTask;
}
