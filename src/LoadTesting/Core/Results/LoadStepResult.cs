namespace LoadTesting.Core.Results;

/// <summary>One load step of a ladder: the load, its result, and whether it was comfortable.</summary>
public sealed record LoadStepResult
{
    /// <summary>
    /// Closed: requests at a time. Open: operations in flight by Little's law, throughput x mean latency; null when
    /// nothing completed.
    /// </summary>
    public double? Concurrency { get; init; }

    /// <summary>Open: operations that were to start, per second; null on a closed ladder.</summary>
    public double? OfferedPerSecond { get; init; }

    /// <summary>
    /// Which measurement of this load it is, from 1: a load step counts once two of its measurements agree.
    /// </summary>
    public int Attempt { get; init; } = 1;

    /// <summary>Length of the measured window after the warm-up, milliseconds.</summary>
    public required double WindowMs { get; init; }

    /// <summary>Operations that completed in the window.</summary>
    public required long Completed { get; init; }

    /// <summary>Completed per second of the window.</summary>
    public required double ThroughputPerSecond { get; init; }

    /// <summary>Open: completed / offered in the window; null on a closed ladder.</summary>
    public double? CompletedShare { get; init; }

    /// <summary>
    /// Open: upper 95 % limit of the slope of operations in flight, per second; null on a closed ladder and from too
    /// few samples.
    /// </summary>
    public double? InFlightGrowthPerSecond { get; init; }

    /// <summary>
    /// The same of the operations that had begun: those that the generator could not begin yet are not the system's.
    /// Null on a closed ladder and from too few samples.
    /// </summary>
    public double? BegunGrowthPerSecond { get; init; }

    /// <summary>Median latency, open from the intended start; null without completions.</summary>
    public double? P50Ms { get; init; }

    /// <summary>95th percentile of latency; null without completions.</summary>
    public double? P95Ms { get; init; }

    /// <summary>Operations that failed, were refused, lost or left over, in the window and after it.</summary>
    public required long Failed { get; init; }

    /// <summary>
    /// When nothing completed for a second or longer although work was in flight, in the window or while it warmed up;
    /// milliseconds from the first intended start. Null if nothing looked.
    /// </summary>
    public IReadOnlyList<StallResult>? Stalls { get; init; }

    /// <summary>
    /// What speaks against the load generator, a sentence each; empty when it was healthy, null when it was not
    /// watched.
    /// </summary>
    public IReadOnlyList<string>? GeneratorEvidence { get; init; }

    /// <summary>What an operation needs of each resource, over the whole measurement.</summary>
    public IReadOnlyList<DemandResult> Demands { get; init; } = [];

    /// <summary>What the backend's sessions waited for, the greatest share first.</summary>
    public IReadOnlyList<WaitResult> Waits { get; init; } = [];

    /// <summary>Whether the load step met every criterion.</summary>
    public bool Comfortable { get; init; }

    /// <summary>The criteria it did not meet, with value and limit.</summary>
    public IReadOnlyList<string> Reasons { get; init; } = [];
}
