namespace LoadTesting.Core.Analysis.Gating;

/// <summary>What kind of figure a gate judges.</summary>
public enum GateMetricKind
{
    /// <summary>
    /// Whether operations ended well: failures, dead letters, losses and the like. Any more than in the baseline is a
    /// regression.
    /// </summary>
    Correctness,

    /// <summary>Counted cost per operation.</summary>
    Counter,

    /// <summary>Throughput, a percentile of latency, or a capacity.</summary>
    Time,

    /// <summary>Measured cost per operation: processor time, allocations.</summary>
    Cost,
}
