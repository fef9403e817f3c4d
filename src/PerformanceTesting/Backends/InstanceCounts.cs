using Workflow.Contracts.Instances;

namespace PerformanceTesting.Backends;

/// <summary>Instances by state, those that others called included.</summary>
public sealed record InstanceCounts(
    long Running, long Waiting, long Suspended, long Completed, long Failed, long Cancelled)
{
    /// <summary>Instances that are not over.</summary>
    public long Live => Running + Waiting + Suspended;

    public long Started => Live + Completed + Failed + Cancelled;

    /// <summary>Counts by state; a state without instances may be missing.</summary>
    public static InstanceCounts Of(IReadOnlyDictionary<InstanceState, long> counts) => new(
        counts.GetValueOrDefault(InstanceState.Running), counts.GetValueOrDefault(InstanceState.Waiting),
        counts.GetValueOrDefault(InstanceState.Suspended), counts.GetValueOrDefault(InstanceState.Completed),
        counts.GetValueOrDefault(InstanceState.Failed), counts.GetValueOrDefault(InstanceState.Cancelled));

    /// <summary>What came in addition to <paramref name="earlier"/>, state by state.</summary>
    public InstanceCounts Since(InstanceCounts earlier) => new(
        Running - earlier.Running, Waiting - earlier.Waiting, Suspended - earlier.Suspended,
        Completed - earlier.Completed,
        Failed - earlier.Failed, Cancelled - earlier.Cancelled);
}
