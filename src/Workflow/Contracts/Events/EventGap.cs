namespace Workflow.Contracts.Events;

/// <summary>Requested events that are no longer stored.</summary>
/// <param name="Missed">The number of missing events, 1 or more.</param>
public sealed record EventGap(long Missed);
