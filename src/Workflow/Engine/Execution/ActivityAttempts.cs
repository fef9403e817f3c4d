namespace Workflow.Engine.Execution;

/// <summary>How far a repeated activity has come.</summary>
/// <param name="Failed">Attempts that failed, 1 or more.</param>
/// <param name="NextUtc">When the next one begins; null while it is under way.</param>
internal sealed record ActivityAttempts(int Failed, DateTimeOffset? NextUtc);
