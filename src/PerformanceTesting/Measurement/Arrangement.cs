using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>The parts of one measurement. Disposing ends the observers first and the database last.</summary>
/// <param name="System">The system under test, which has started.</param>
/// <param name="Scenarios">Loaded at the same time; at least one.</param>
/// <param name="Observers">Watch the load, in the order in which they start.</param>
/// <param name="Others">Disposed with the measurement, e.g. the database.</param>
public sealed record Arrangement(
    IMeasuredSystem System, IReadOnlyList<MeasuredScenario> Scenarios, IReadOnlyList<IRunObserver> Observers,
    params IReadOnlyList<IAsyncDisposable> Others)
    : IAsyncDisposable
{
    /// <summary>
    /// The part of the load that this process drives, which is among the observers; null for all of the load.
    /// </summary>
    public DrivenPart? Part => Observers.OfType<DrivenPart>().SingleOrDefault();

    /// <summary>
    /// Shows each stage, and publishes the measured load while it runs. Null (the default) if the run is not shown.
    /// </summary>
    public RunProgress? Progress { get; init; }

    /// <summary>
    /// The load step of a capacity search, which replaces the load and the thresholds of the only scenario. Null (the
    /// default) for the scenario's own load.
    /// </summary>
    internal LoadStep? Step { get; init; }

    /// <summary>
    /// Completes before the observers start, e.g. when the system that was measured before has ended. Default:
    /// completed.
    /// </summary>
    public Task BeforeLoad { get; init; } = Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        foreach (var part in Observers.Reverse().Append<IAsyncDisposable>(System).Concat(Others))
        {
            await part.DisposeAsync();
        }
    }
}
