namespace PerformanceTesting.Measurement;

/// <summary>
/// Watches one thing while a load runs (a server's counters, waits, processes, leaks, a broker, the host) and owns its
/// section of the result. Calls never overlap: <see cref="StartAsync"/>, <see cref="StopAsync"/>, <see cref="AddTo"/>,
/// and disposal whatever happened before.
/// </summary>
public interface IRunObserver : IAsyncDisposable
{
    /// <summary>
    /// Takes the first snapshot. Called in the order of the observers, after the warm-up and right before the load.
    /// </summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Takes the second snapshot. Called in reverse order, once the system is idle after the load: the observer that
    /// starts last sees least of the others.
    /// </summary>
    Task StopAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Adds its section of the result to the evidence, and figures that others judge by. The observers before this one
    /// have already done so. The result is made once all have.
    /// </summary>
    void AddTo(RunEvidence evidence);
}
