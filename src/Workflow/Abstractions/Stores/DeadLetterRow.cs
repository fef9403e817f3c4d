using Workflow.Contracts.DeadLetters;

namespace Workflow.Abstractions.Stores;

/// <summary>A dead letter as stored.</summary>
public sealed record DeadLetterRow
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required DeadLetterKind Kind { get; init; }

    /// <summary>Id of the signal, the wait or the message.</summary>
    public required Guid SubjectId { get; init; }

    /// <summary>The instance it is for; null where a correlation key decides that.</summary>
    public Guid? InstanceId { get; init; }

    public required string Reason { get; init; }

    /// <summary>Attempts so far, from 1.</summary>
    public required int Attempts { get; init; }

    /// <summary>The work as JSON, written and read by the engine alone.</summary>
    public required string Payload { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset LastAttemptUtc { get; init; }

    /// <summary>When it was replayed (UTC); null while it is open.</summary>
    public DateTimeOffset? ReplayedUtc { get; init; }

    /// <summary>Whether the replay had its effect; null if and only if it is open.</summary>
    public bool? Applied { get; init; }
}

/// <summary>An open dead letter was tried again.</summary>
/// <param name="Attempts">Attempts with this one.</param>
/// <param name="Applied">Whether the replay had its effect; null when it failed and the dead letter stays open. Any other value closes it
/// at <paramref name="LastAttemptUtc"/>.</param>
public sealed record DeadLetterChange(Guid Id, string Reason, int Attempts, DateTimeOffset LastAttemptUtc, bool? Applied);
