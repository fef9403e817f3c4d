using Workflow.Contracts.DeadLetters;

namespace Workflow.Abstractions.Stores;

public sealed record DeadLetterRow : IDeadLetterWrite
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required DeadLetterKind Kind { get; init; }

    /// <summary>The id of the signal, wait or message.</summary>
    public required Guid SubjectId { get; init; }

    /// <summary>The instance that the work is for; null if a correlation key selects it.</summary>
    public Guid? InstanceId { get; init; }

    public required string Reason { get; init; }

    /// <summary>Attempts so far, from 1.</summary>
    public required int Attempts { get; init; }

    /// <summary>The work as JSON. Only the engine reads and writes it.</summary>
    public required string Payload { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset LastAttemptUtc { get; init; }

    /// <summary>When it was replayed (UTC); null while it is open.</summary>
    public DateTimeOffset? ReplayedUtc { get; init; }

    /// <summary>Whether the replay had an effect; null if and only if the dead letter is open.</summary>
    public bool? Applied { get; init; }

    /// <summary>The row after a change.</summary>
    public DeadLetterRow With(DeadLetterChange change) => this with
    {
        Reason = change.Reason,
        Attempts = change.Attempts,
        LastAttemptUtc = change.LastAttemptUtc,
        ReplayedUtc = change.Applied is null ? null : change.LastAttemptUtc,
        Applied = change.Applied,
    };
}
