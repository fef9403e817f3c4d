namespace Workflow.Contracts.Events;

/// <summary>Events that were asked for and had been trimmed.</summary>
/// <param name="Missed">How many, 1 or more.</param>
public sealed record EventGap(long Missed);
