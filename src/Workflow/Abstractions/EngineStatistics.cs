using Workflow.Abstractions.Notifications;

namespace Workflow.Abstractions;

/// <summary>Counters since the engine started, and gauges of now.</summary>
public sealed record EngineStatistics
{
    /// <summary>Lanes of the store, this node's or others'.</summary>
    public required int Lanes { get; init; }

    /// <summary>Gauge: commands accepted and not yet acknowledged.</summary>
    public required long PendingCommands { get; init; }

    /// <summary>Gauge: live instances.</summary>
    public required long LiveInstances { get; init; }

    /// <summary>
    /// Gauge: instances in flight, from the acceptance of their start until their last event is committed and handed to every publisher.
    /// A start counts once it is committed.
    /// </summary>
    public required long InFlight { get; init; }

    /// <summary>
    /// Integral of <see cref="InFlight"/> over the engine's own monotonic clock, in instance seconds: its increase over a window that begins
    /// and ends idle, divided by the window's seconds, is the number in flight on average.
    /// </summary>
    public required double InFlightSeconds { get; init; }

    /// <summary>Gauge: tasks that wait for a person.</summary>
    public required long OpenTasks { get; init; }

    /// <summary>Gauge: buffered and delayed signals.</summary>
    public required long BufferedSignals { get; init; }

    /// <summary>Gauge: events not yet handed to every publisher.</summary>
    public required long UnpublishedEvents { get; init; }

    /// <summary>Gauge: dead letters that wait for a replay.</summary>
    public required long DeadLetters { get; init; }

    /// <summary>Gauge: of the dead letters, those that hold a signal. Signals accepted = taken + given up + buffered + these.</summary>
    public required long DeadSignals { get; init; }

    /// <summary>Dead letters made.</summary>
    public required long DeadLettered { get; init; }

    /// <summary>Starts committed, those of sub-workflows included.</summary>
    public required long Started { get; init; }

    /// <summary>Starts committed that a <c>call</c> step made.</summary>
    public required long Called { get; init; }

    /// <summary>Instances completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Instances failed.</summary>
    public required long Failed { get; init; }

    /// <summary>Instances cancelled.</summary>
    public required long Cancelled { get; init; }

    /// <summary>Signals accepted.</summary>
    public required long Signals { get; init; }

    /// <summary>Signals that an instance or a receiver has taken.</summary>
    public required long SignalsConsumed { get; init; }

    /// <summary>Signals given up: nobody took them in time, or their instance ended.</summary>
    public required long SignalsExpired { get; init; }

    /// <summary>Flushes committed.</summary>
    public required long Flushes { get; init; }

    /// <summary>Commands in those flushes.</summary>
    public required long FlushedCommands { get; init; }

    /// <summary>Flushes that failed and were repeated or bisected.</summary>
    public required long FailedFlushes { get; init; }

    /// <summary>Commands refused alone.</summary>
    public required long RejectedCommands { get; init; }

    /// <summary>Messages between partitions of different lanes: each costs a commit more.</summary>
    public required long CrossPartitionMessages { get; init; }

    /// <summary>This node among others; null where one engine owns the store alone. All other figures are this node's, too.</summary>
    public ClusterStatistics? Cluster { get; init; }

    /// <summary>Notifications to and from other nodes.</summary>
    public NotificationCounts Notifications { get; init; } = new(0, 0, 0, 0);
}
