namespace Workflow.Abstractions.Stores;

/// <summary>An open dead letter was tried again.</summary>
/// <param name="Id">The letter; it must be stored and open.</param>
/// <param name="Reason">What was said to it this time.</param>
/// <param name="Attempts">Attempts with this one.</param>
/// <param name="LastAttemptUtc">When (UTC).</param>
/// <param name="Applied">Whether the replay had its effect; null when it failed and the letter stays open. Any other value closes the letter at <paramref name="LastAttemptUtc"/>.</param>
public sealed record DeadLetterChange(Guid Id, string Reason, int Attempts, DateTimeOffset LastAttemptUtc, bool? Applied);
