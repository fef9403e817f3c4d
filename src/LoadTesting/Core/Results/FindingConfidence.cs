namespace LoadTesting.Core.Results;

/// <summary>How far a finding can be trusted.</summary>
public enum FindingConfidence
{
    /// <summary>Few operations, most of the machine was used by others, or guilty with no measured impact: measure again before acting.</summary>
    Low,

    /// <summary>Most of the impact is queueing, charged to the resource because it was full and held the operations longest.</summary>
    Medium,

    /// <summary>Most of the impact was measured at the resource itself.</summary>
    High,
}
