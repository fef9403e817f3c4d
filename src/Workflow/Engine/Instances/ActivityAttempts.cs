namespace Workflow.Engine.Instances;

/// <summary>The attempts of an activity with a retry policy.</summary>
/// <param name="Failed">The number of failed attempts, at least 1.</param>
/// <param name="NextUtc">When the next attempt begins; null while it runs.</param>
internal sealed record ActivityAttempts(int Failed, DateTimeOffset? NextUtc, InstanceError Error);
