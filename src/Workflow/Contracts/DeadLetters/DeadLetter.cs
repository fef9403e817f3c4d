namespace Workflow.Contracts.DeadLetters;

/// <summary>Work that was accepted and could not be applied: stored with the evidence until it is replayed.</summary>
public sealed record DeadLetter
{
    public required Guid Id { get; init; }
    public required DeadLetterKind Kind { get; init; }

    /// <summary>The instance it is for; absent where a correlation key decides that.</summary>
    public Guid? InstanceId { get; init; }

    /// <summary>What was tried, and what the store, the receiver or the engine said to it the last time.</summary>
    public required string Reason { get; init; }

    /// <summary>Attempts so far, from 1; each replay is one.</summary>
    public required int Attempts { get; init; }

    /// <summary>The work itself, in the shape of its kind.</summary>
    public required JsonElement Payload { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset LastAttemptUtc { get; init; }

    /// <summary>When it was replayed (UTC); absent while it is open.</summary>
    public DateTimeOffset? ReplayedUtc { get; init; }

    /// <summary>
    /// Whether the replay had its effect; absent while it is open. False: what it was for was over by then.
    /// </summary>
    public bool? Applied { get; init; }
}
