namespace PerformanceTesting.Backends;

/// <summary>Counts what a server does from the moment it was started.</summary>
public interface ICollector : IAsyncDisposable
{
    /// <summary>
    /// Seconds that all sessions together spent in each wait. Null (the default) if sessions are not watched.
    /// </summary>
    IReadOnlyDictionary<string, double>? WaitSeconds => null;

    Task<CollectedCounters> StopAsync(CancellationToken cancellationToken);
}
