namespace Workflow.Abstractions.Stores;

/// <summary>
/// The committed live state of a lane, without its instances (<see cref="ILaneStore.ReadInstancesAsync"/>).
/// </summary>
public sealed record LaneSnapshot
{
    public required long LastBatch { get; init; }

    /// <summary>Rises with each load of the lane and each change of its owner.</summary>
    public required long Epoch { get; init; }

    /// <summary>Sequence of the last event of the lane's stream.</summary>
    public required long LastSequence { get; init; }

    /// <summary>The sequence of the last event that every publisher has accepted.</summary>
    public required long PublishedSequence { get; init; }

    /// <summary>Signals, subscriptions and messages not yet handled, in order of position.</summary>
    public required IReadOnlyList<PendingRow> Pending { get; init; }

    /// <summary>
    /// The highest position of all stored messages (<see cref="PendingKind.Message"/>), in every partition; 0 if there
    /// are none. It is read after the lane is taken and therefore includes the messages of the former owner.
    /// </summary>
    public required long LastMessagePosition { get; init; }

    /// <summary>
    /// The highest <see cref="FlushBatch.LastPosition"/> that a flush of any lane has stored; 0 before the first.
    /// </summary>
    public long LastPosition { get; init; }

    /// <summary>The number of live instances that are not dormant.</summary>
    public long Instances { get; init; }

    /// <summary>The number of dormant instances of the lane.</summary>
    public long DormantInstances { get; init; }

    /// <summary>The number of open tasks of the dormant instances.</summary>
    public long DormantTasks { get; init; }

    /// <summary>Open dead letters, in order of id.</summary>
    public required IReadOnlyList<DeadLetterRow> DeadLetters { get; init; }
}
