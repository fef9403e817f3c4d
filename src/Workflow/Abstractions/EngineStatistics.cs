using System.Diagnostics.CodeAnalysis;

namespace Workflow.Abstractions;

/// <summary>
/// Counters since the engine's start, and gauges of now. <see cref="EngineCounters"/> gives each its metric and
/// meaning.
/// </summary>
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

    /// <summary>
    /// Of the live instances, those in memory; the others are dormant. Null where an old service does not count them.
    /// </summary>
    public long? ResidentInstances { get; init; }

    /// <summary>
    /// Of the live instances, those that only the store holds; null where an old service does not count them.
    /// </summary>
    public long? DormantInstances => LiveInstances - ResidentInstances;

    /// <summary>
    /// Dormant instances that came into memory; null where an old service does not count them.
    /// </summary>
    public long? Wakeups { get; init; }

    /// <summary>
    /// Reads of dormant instances that commands waited for; null where an old service does not count them.
    /// </summary>
    public long? DormantLookUps { get; init; }

    /// <summary>The time of these reads, in seconds; null where an old service does not count them.</summary>
    public double? DormantLookUpSeconds { get; init; }

    /// <summary>
    /// Instances from the committed acceptance of their start until every publisher has their last committed event.
    /// </summary>
    public required long InFlight { get; init; }

    /// <summary>
    /// Integral of <see cref="InFlight"/> over the engine's monotonic clock, in instance seconds: its increase over a
    /// window that begins and ends idle, divided by the window's seconds, is the number in flight on average. What a
    /// lane had here stays in it when the lane goes to another node.
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

    /// <summary>
    /// Of the dead letters, those that hold a signal. Signals accepted = consumed + expired + buffered + these.
    /// </summary>
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
    /// Failed instances that went on; null where an old service does not count them. Started + retried = completed +
    /// failed + cancelled + live.
    /// </summary>
    public long? Retried { get; init; }

    public required long Signals { get; init; }
    public required long SignalsConsumed { get; init; }
    public required long SignalsExpired { get; init; }

    /// <summary>
    /// Signals accepted whose name nothing here receives; null where an old service does not count them.
    /// </summary>
    public long? UnreceivedSignals { get; init; }

    /// <summary>
    /// Transactions committed, each with flushes of one lane or several; null where an old service does not count them.
    /// </summary>
    public long? Commits { get; init; }

    /// <summary>Batches of lanes committed.</summary>
    public required long Flushes { get; init; }
    public required long FlushedCommands { get; init; }
    public required long FailedFlushes { get; init; }
    /// <summary>
    /// Lanes read again from the store, after an outage or a lost lease; null where an old service does not count them.
    /// </summary>
    public long? LaneReloads { get; init; }

    /// <summary>
    /// The longest that a lane has had work and committed none of it, in seconds; 0 when none has work, null where an
    /// old service does not measure it.
    /// </summary>
    public double? StalledSeconds { get; init; }

    public required long RejectedCommands { get; init; }
    public required long CrossPartitionMessages { get; init; }

    /// <summary>
    /// This node among others; null where one engine owns the store alone. All other figures are this node's, too.
    /// </summary>
    public ClusterStatistics? Cluster { get; init; }

    public NotificationCounts Notifications { get; init; } = new(0, 0, 0, 0);

    /// <summary>
    /// Reads metrics back: the value of each sample without labels, by its metric. Metrics of others are ignored.
    /// </summary>
    /// <exception cref="FormatException">A metric that every engine has is missing.</exception>
    public static EngineStatistics Parse(IReadOnlyDictionary<string, double> samples) =>
        EngineCounters.All.Aggregate(Zero, (statistics, counter) =>
        {
            if (samples.TryGetValue(counter.Metric, out var value))
            {
                return counter.With(statistics, value);
            }

            return counter.Read(Zero) is null
                ? statistics
                : throw new FormatException($"The metric {counter.Metric} is missing among {samples.Count} samples.");
        });

    /// <summary>
    /// These together with those of another node: sums, but for lanes, live nodes and the longest stall.
    /// </summary>
    public EngineStatistics Plus(EngineStatistics other)
    {
        var sum = EngineCounters.All.Aggregate(this, (statistics, counter) =>
            counter.Read(this) is { } mine && counter.Read(other) is { } others
                ? counter.With(statistics, mine + others)
                : statistics);
        return sum with
        {
            Lanes = Lanes,
            StalledSeconds = StalledSeconds is { } stalled
                ? Math.Max(stalled, other.StalledSeconds ?? 0)
                : other.StalledSeconds,
            Cluster = sum.Cluster is { } cluster ? cluster with { LiveNodes = Cluster!.LiveNodes } : null,
        };
    }

    /// <summary>Counters since an earlier moment, gauges as they are now.</summary>
    public EngineStatistics Since(EngineStatistics earlier) =>
        EngineCounters.All.Where(c => c.Kind == CounterKind.Counter).Aggregate(this, (statistics, counter) =>
            counter.Read(this) is { } value
                ? counter.With(statistics, value - (counter.Read(earlier) ?? 0))
                : statistics);
}
