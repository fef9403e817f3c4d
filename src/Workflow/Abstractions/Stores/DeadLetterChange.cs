namespace Workflow.Abstractions.Stores;

/// <summary>An open dead letter was tried again.</summary>
/// <param name="Attempts">The number of attempts, including this one.</param>
/// <param name="Applied">
/// Whether the replay had an effect. Null if the replay failed; the dead letter then stays open. Any other value closes
/// it at <paramref name="LastAttemptUtc"/>.
/// </param>
public sealed record DeadLetterChange(
    Guid Id, string Reason, int Attempts, DateTimeOffset LastAttemptUtc, bool? Applied)
    : IDeadLetterWrite;
