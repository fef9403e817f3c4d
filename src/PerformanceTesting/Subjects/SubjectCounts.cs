namespace PerformanceTesting.Subjects;

/// <summary>What the service itself has counted; the ledger sets it beside what the consumers saw.</summary>
/// <param name="Lanes">Gauge.</param>
/// <param name="Pending">Gauge: commands and events under way.</param>
/// <param name="Live">Gauge: instances not over.</param>
/// <param name="Buffered">Gauge: signals accepted and not consumed.</param>
/// <param name="Started">Starts committed.</param>
/// <param name="Completed">Instances completed.</param>
/// <param name="Failed">Instances failed.</param>
/// <param name="Signals">Signals accepted.</param>
/// <param name="Flushes">Commits of the engine.</param>
/// <param name="Conflicts">Flushes that failed and were repeated.</param>
/// <param name="Rejected">Commands refused alone.</param>
public sealed record SubjectCounts(
    int Lanes, long Pending, long Live, long Buffered, long Started, long Completed, long Failed, long Signals, long Flushes, long Conflicts, long Rejected)
{
    /// <summary>Signals taken by an instance or a receiver.</summary>
    public required long SignalsConsumed { get; init; }

    /// <summary>Signals given up.</summary>
    public required long SignalsExpired { get; init; }

    /// <summary>Instances cancelled.</summary>
    public long Cancelled { get; init; }

    /// <summary>Gauge: dead letters that were not replayed; a difference of counts tells how many more there are.</summary>
    public long DeadLetters { get; init; }

    /// <summary>Gauge: of those, the ones that hold a signal.</summary>
    public long DeadSignals { get; init; }

    /// <summary>Notifications sent to other nodes.</summary>
    public long NotificationsSent { get; init; }

    /// <summary>Notifications that came from other nodes.</summary>
    public long NotificationsReceived { get; init; }

    /// <summary>
    /// Integral of the instances in flight, in instance seconds, from the acceptance of a start to the hand-over of the last event, and where the
    /// service's own transport is in this process to its consumer.
    /// </summary>
    public required double InFlightSeconds { get; init; }

    /// <summary>Counters since an earlier count; gauges as they are now.</summary>
    public SubjectCounts Since(SubjectCounts earlier) => this with
    {
        Started = Started - earlier.Started,
        Completed = Completed - earlier.Completed,
        Failed = Failed - earlier.Failed,
        Signals = Signals - earlier.Signals,
        Flushes = Flushes - earlier.Flushes,
        Conflicts = Conflicts - earlier.Conflicts,
        Rejected = Rejected - earlier.Rejected,
        SignalsConsumed = SignalsConsumed - earlier.SignalsConsumed,
        SignalsExpired = SignalsExpired - earlier.SignalsExpired,
        Cancelled = Cancelled - earlier.Cancelled,
        DeadLetters = DeadLetters - earlier.DeadLetters,
        DeadSignals = DeadSignals - earlier.DeadSignals,
        NotificationsSent = NotificationsSent - earlier.NotificationsSent,
        NotificationsReceived = NotificationsReceived - earlier.NotificationsReceived,
        InFlightSeconds = InFlightSeconds - earlier.InFlightSeconds,
    };
}
