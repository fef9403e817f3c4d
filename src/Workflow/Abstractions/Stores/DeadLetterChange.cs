namespace Workflow.Abstractions.Stores;

/// <summary>An open dead letter was tried again.</summary>
/// <param name="Attempts">Attempts with this one.</param>
/// <param name="Applied">
/// Whether the replay had its effect; null when it failed and the dead letter stays open. Any other value closes it at
/// <paramref name="LastAttemptUtc"/>.
/// </param>
public sealed record DeadLetterChange(
    Guid Id, string Reason, int Attempts, DateTimeOffset LastAttemptUtc, bool? Applied)
    : IDeadLetterWrite;
