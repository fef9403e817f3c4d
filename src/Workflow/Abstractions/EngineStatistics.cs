using System.Diagnostics.CodeAnalysis;

namespace Workflow.Abstractions;

/// <summary>Counters since the engine's start, and gauges of now. <see cref="EngineCounters"/> gives each its metric and meaning.</summary>
public sealed record EngineStatistics
{
    private static readonly EngineStatistics Zero = new(lanes: 0);

    public EngineStatistics()
    {
    }

    [SetsRequiredMembers]
    private EngineStatistics(int lanes) => Lanes = lanes;

    public required int Lanes { get; init; }
    public required long PendingCommands { get; init; }
    public required long LiveInstances { get; init; }

    /// <summary>Instances from the committed acceptance of their start until every publisher has their last committed event.</summary>
    public required long InFlight { get; init; }

    /// <summary>
    /// Integral of <see cref="InFlight"/> over the engine's monotonic clock, in instance seconds: its increase over a window that begins
    /// and ends idle, divided by the window's seconds, is the number in flight on average. What a lane had here stays in it when the lane
    /// goes to another node.
    /// </summary>
    public required double InFlightSeconds { get; init; }

    public required long OpenTasks { get; init; }
    public required long BufferedSignals { get; init; }

    /// <summary>Activities that run beside the lanes; null where an old service does not count them.</summary>
    public long? RunningActivities { get; init; }

    /// <summary>Activities that wait until fewer run; null where an old service does not count them.</summary>
    public long? WaitingActivities { get; init; }

    public required long UnpublishedEvents { get; init; }
    public required long DeadLetters { get; init; }

    /// <summary>Of the dead letters, those that hold a signal. Signals accepted = consumed + expired + buffered + these.</summary>
    public required long DeadSignals { get; init; }

    public required long DeadLettered { get; init; }

    /// <summary>Starts committed, those of sub-workflows included.</summary>
    public required long Started { get; init; }

    public required long Called { get; init; }
    public required long Completed { get; init; }
    public required long Failed { get; init; }
    public required long Cancelled { get; init; }

    /// <summary>Suspensions committed; null where an old service does not count them.</summary>
    public long? Suspended { get; init; }

    /// <summary>Suspended instances resumed; null where an old service does not count them.</summary>
    public long? Resumed { get; init; }

    /// <summary>
    /// Failed instances that went on; null where an old service does not count them. Started + retried = completed + failed + cancelled +
    /// live.
    /// </summary>
    public long? Retried { get; init; }

    public required long Signals { get; init; }
    public required long SignalsConsumed { get; init; }
    public required long SignalsExpired { get; init; }
    /// <summary>Transactions committed, each with flushes of one lane or several; null where an old service does not count them.</summary>
    public long? Commits { get; init; }

    /// <summary>Batches of lanes committed.</summary>
    public required long Flushes { get; init; }
    public required long FlushedCommands { get; init; }
    public required long FailedFlushes { get; init; }
    /// <summary>Lanes read again from the store, after an outage or a lost lease; null where an old service does not count them.</summary>
    public long? LaneReloads { get; init; }

    /// <summary>
    /// The longest that a lane has had work and committed none of it, in seconds; 0 when none has work, null where an old service does not
    /// measure it.
    /// </summary>
    public double? StalledSeconds { get; init; }

    public required long RejectedCommands { get; init; }
    public required long CrossPartitionMessages { get; init; }

    /// <summary>This node among others; null where one engine owns the store alone. All other figures are this node's, too.</summary>
    public ClusterStatistics? Cluster { get; init; }

    public NotificationCounts Notifications { get; init; } = new(0, 0, 0, 0);

    /// <summary>Reads metrics back: the value of each sample without labels, by its metric. Metrics of others are ignored.</summary>
    /// <exception cref="FormatException">A metric that every engine has is missing.</exception>
    public static EngineStatistics Parse(IReadOnlyDictionary<string, double> samples) =>
        EngineCounters.All.Aggregate(Zero, (statistics, counter) => samples.TryGetValue(counter.Metric, out var value)
            ? counter.With(statistics, value)
            : counter.Read(Zero) is null ? statistics
            : throw new FormatException($"The metric {counter.Metric} is missing among {samples.Count} samples."));

    /// <summary>These together with those of another node: sums, but for lanes, live nodes and the longest stall.</summary>
    public EngineStatistics Plus(EngineStatistics other)
    {
        var sum = EngineCounters.All.Aggregate(this, (statistics, counter) =>
            counter.Read(this) is { } mine && counter.Read(other) is { } others ? counter.With(statistics, mine + others) : statistics);
        return sum with
        {
            Lanes = Lanes,
            StalledSeconds = StalledSeconds is { } stalled ? Math.Max(stalled, other.StalledSeconds ?? 0) : other.StalledSeconds,
            Cluster = sum.Cluster is { } cluster ? cluster with { LiveNodes = Cluster!.LiveNodes } : null,
        };
    }

    /// <summary>Counters since an earlier moment, gauges as they are now.</summary>
    public EngineStatistics Since(EngineStatistics earlier) =>
        EngineCounters.All.Where(c => c.Kind == CounterKind.Counter).Aggregate(this, (statistics, counter) =>
            counter.Read(this) is { } value ? counter.With(statistics, value - (counter.Read(earlier) ?? 0)) : statistics);
}

/// <summary>What one lane has to do now, and what it has committed since it was taken over.</summary>
/// <param name="Lane">Its number, from 0.</param>
/// <param name="PendingCommands">Accepted and not yet committed: in its mailbox, its open batch and its flush in flight.</param>
/// <param name="FlushingCommands">Of these, in the flush that is in flight; 0 while none is.</param>
/// <param name="LiveInstances">Instances in its memory.</param>
/// <param name="InFlight">Instances from their acceptance until their last event was handed on.</param>
/// <param name="Flushes">Batches committed.</param>
/// <param name="FlushedCommands">Commands in them.</param>
/// <param name="Reloads">How often it was read again from the store.</param>
/// <param name="StalledSeconds">How long it has had work and committed none of it; 0 while it has none.</param>
public sealed record LaneStatistics(
    int Lane, int PendingCommands, int FlushingCommands, int LiveInstances, long InFlight, int OpenTasks, int BufferedSignals,
    int DeadLetters, long Flushes, long FlushedCommands, long FailedFlushes, long Reloads, double StalledSeconds);

/// <summary>What a node knows of itself among others, since its start.</summary>
public sealed record ClusterStatistics
{
    public required string NodeName { get; init; }

    /// <summary>Ascending. Statistics that were read back from metrics know only their number.</summary>
    public required IReadOnlyList<int> OwnedLanes
    {
        get;
        init
        {
            field = value;
            OwnedLaneCount = value.Count;
        }
    }

    public int OwnedLaneCount { get; init; }

    /// <summary>Live nodes at the last renewal, itself included.</summary>
    public required int LiveNodes { get; init; }

    public required long Forwarded { get; init; }

    /// <summary>Commands that the node which owns their lane has answered itself.</summary>
    public long AnsweredByOwner { get; init; }

    public required long InboxTaken { get; init; }
    public required long LanesLost { get; init; }
}

/// <summary>Notifications since the start. Sent, coalesced and lost together are the notifications asked for.</summary>
/// <param name="Sent">Handed to the medium.</param>
/// <param name="Coalesced">Not sent, because one for the same lane was waiting to be sent.</param>
/// <param name="Lost">Given up: the medium was away or refused.</param>
/// <param name="Received">Came from the medium, own ones not counted where the medium can distinguish them.</param>
public sealed record NotificationCounts(long Sent, long Coalesced, long Lost, long Received);
