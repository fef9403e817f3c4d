namespace Workflow.Abstractions.Stores;

/// <summary>A wait for a signal of a dormant instance.</summary>
/// <param name="Slot">
/// A hash of signal name and correlation key. Its first six bits are the partition of the key, which is that of the
/// instance. Two slots may have the same hash.
/// </param>
/// <param name="WaitId">The id of the wait.</param>
public readonly record struct DormantWait(long Slot, Guid WaitId);
