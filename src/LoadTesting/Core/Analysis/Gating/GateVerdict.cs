namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// What a gate says of a metric, a scenario or a run. A run gets one of the first three, a scenario also the last.
/// </summary>
public enum GateVerdict
{
    /// <summary>No worse by more than the margin that the finding names.</summary>
    NotRegressed,

    /// <summary>The evidence does not suffice either way; the reason names what is missing.</summary>
    Inconclusive,

    /// <summary>Worse than the limit allows.</summary>
    Regressed,

    /// <summary>
    /// Beside a stored baseline a time looks worse, or a cost is by more than half as much again and may still be
    /// noise. It proves nothing: interleaved pairs settle it.
    /// </summary>
    Suspect,

    /// <summary>Not judged; the reason says why.</summary>
    NotGated,
}
