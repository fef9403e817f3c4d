namespace Workflow.Abstractions.Stores;

/// <summary>Everything live in a lane, as committed.</summary>
public sealed record LaneSnapshot
{
    public required long LastBatch { get; init; }

    /// <summary>Sequence of the last event of the lane's stream.</summary>
    public required long LastSequence { get; init; }

    /// <summary>Sequence of the last event that every publisher had taken.</summary>
    public required long PublishedSequence { get; init; }

    public required IReadOnlyList<InstanceRow> Instances { get; init; }

    /// <summary>Signals, subscriptions and messages not yet handled, in order of position.</summary>
    public required IReadOnlyList<PendingRow> Pending { get; init; }

    /// <summary>
    /// The highest position of any message (<see cref="PendingKind.Message"/>) that is stored, whatever its partition;
    /// 0 without one. Read after the lane is taken: what its former owner has sent is among them.
    /// </summary>
    public required long LastMessagePosition { get; init; }

    /// <summary>Open dead letters, in order of id.</summary>
    public required IReadOnlyList<DeadLetterRow> DeadLetters { get; init; }
}
