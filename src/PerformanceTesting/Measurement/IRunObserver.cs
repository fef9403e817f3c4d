using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;

namespace PerformanceTesting.Measurement;

/// <summary>
/// Watches one thing while a load runs (a server's counters, waits, processes, leaks, a broker, the host) and owns its section of the result. Calls
/// never overlap: <see cref="StartAsync"/>, <see cref="StopAsync"/>, <see cref="AddTo"/>, and disposal whatever happened before.
/// </summary>
public interface IRunObserver : IAsyncDisposable
{
    /// <summary>Takes the first snapshot. Called in the order of the observers, after the warm-up and right before the load.</summary>
    Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Takes the second snapshot. Called in the order of the observers, once the system is idle after the load.</summary>
    Task StopAsync(CancellationToken cancellationToken);

    /// <summary>Adds its section to the result. What others judge by, it puts into the evidence; observers before it have done so.</summary>
    ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence);
}

/// <summary>What the parts of a measurement know of one run, for the parts that judge it.</summary>
public sealed class RunEvidence
{
    /// <summary>What the generator measured.</summary>
    public required LoadResult Load { get; init; }

    /// <summary>Operations that completed.</summary>
    public required long Completed { get; init; }

    /// <summary>What the backend's server counted; null where there is none that counts.</summary>
    public CollectedCounters? Counters { get; set; }

    /// <summary>What the rules of findings go by, as far as it is known.</summary>
    public FindingInputs? Findings { get; set; }

    /// <summary>Demands of each resource by an operation, for the search for the capacity.</summary>
    public IReadOnlyList<DemandResult> Demands { get; set; } = [];

    /// <summary>Checks of the system and of the measurement.</summary>
    public IList<CheckResult> Checks { get; } = [];

    /// <summary>What the machine gave to others.</summary>
    public IList<CheckResult> Environment { get; } = [];
}
