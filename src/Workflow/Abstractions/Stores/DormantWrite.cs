namespace Workflow.Abstractions.Stores;

/// <summary>
/// A live instance that becomes dormant with this commit. Its row stays as it is and must be stored as live with this
/// revision.
/// </summary>
/// <param name="NextDueUtc">When its next timer is due; null if it has none.</param>
/// <param name="Waits">Its waits for signals whose keys belong to the partition of the instance.</param>
public sealed record DormantWrite(
    Guid Id, long Revision, DateTimeOffset? NextDueUtc, IReadOnlyList<DormantWait> Waits);
