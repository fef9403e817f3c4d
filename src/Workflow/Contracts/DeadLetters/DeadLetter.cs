namespace Workflow.Contracts.DeadLetters;

/// <summary>Accepted work that could not be applied. It is stored with its evidence until it is replayed.</summary>
public sealed record DeadLetter
{
    public required Guid Id { get; init; }
    public required DeadLetterKind Kind { get; init; }

    /// <summary>The instance that the work is for; absent if a correlation key selects it.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>What was tried, and the last error of the store, the receiver or the engine.</summary>
    public required string Reason { get; init; }

    /// <summary>The number of attempts so far, from 1. Each replay counts as one.</summary>
    public required int Attempts { get; init; }

    /// <summary>The work itself. Its members depend on the kind.</summary>
    public required JsonElement Payload { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset LastAttemptUtc { get; init; }

    /// <summary>When the dead letter was replayed (UTC); absent while it is open.</summary>
    public DateTimeOffset? ReplayedUtc { get; init; }

    /// <summary>
    /// Whether the replay had an effect; false if the instance no longer needed the work. Absent while it is open.
    /// </summary>
    public bool? Applied { get; init; }
}
