namespace Workflow.Abstractions.Stores;

/// <summary>Everything live in a lane, as committed.</summary>
public sealed record LaneSnapshot
{
    /// <summary>Number of the last committed batch.</summary>
    public required long LastBatch { get; init; }

    /// <summary>Sequence of the last event of the lane's stream.</summary>
    public required long LastSequence { get; init; }

    /// <summary>Sequence of the last event that every publisher had taken.</summary>
    public required long PublishedSequence { get; init; }

    /// <summary>Instances that are not finished.</summary>
    public required IReadOnlyList<InstanceRow> Instances { get; init; }

    /// <summary>Buffered and delayed signals, in order of position.</summary>
    public required IReadOnlyList<SignalRow> Signals { get; init; }

    /// <summary>Subscriptions of instances of other partitions, in order of position.</summary>
    public required IReadOnlyList<SubscriptionRow> Subscriptions { get; init; }

    /// <summary>Messages from other partitions not yet handled, in order of position.</summary>
    public required IReadOnlyList<MessageRow> Messages { get; init; }

    /// <summary>Open dead letters, in order of id.</summary>
    public required IReadOnlyList<DeadLetterRow> DeadLetters { get; init; }
}
