namespace Workflow.Abstractions;

/// <summary>
/// The one list of what an engine counts: metrics are written from it, read back through it and subtracted by it.
/// </summary>
public static class EngineCounters
{
    private static readonly ClusterStatistics NoNode =
        new() { NodeName = "", OwnedLanes = [], LiveNodes = 0, Forwarded = 0, InboxTaken = 0, LanesLost = 0 };

    /// <summary>In the order of the metrics page.</summary>
    public static IReadOnlyList<EngineCounter> All { get; } =
    [
        Gauge("lanes", "Lanes of the engine.", s => s.Lanes, (s, v) => s with { Lanes = (int)v }),
        Gauge(
            "pending_commands", "Commands accepted and not yet acknowledged.",
            s => s.PendingCommands, (s, v) => s with { PendingCommands = (long)v }),
        Gauge("live_instances", "Instances that are not over.", s => s.LiveInstances,
            (s, v) => s with { LiveInstances = (long)v }),
        Gauge(
            "resident_instances", "Live instances in memory; the others are dormant.",
            s => s.ResidentInstances, (s, v) => s with { ResidentInstances = (long)v }),
        Counter(
            "wakeups", "Dormant instances that came into memory.",
            s => s.Wakeups, (s, v) => s with { Wakeups = (long)v }),
        Counter(
            "dormant_lookups", "Reads of dormant instances that commands waited for.",
            s => s.DormantLookUps, (s, v) => s with { DormantLookUps = (long)v }),
        Counter(
            "dormant_lookup_seconds", "The time of these reads.",
            s => s.DormantLookUpSeconds, (s, v) => s with { DormantLookUpSeconds = v }),
        Gauge(
            "in_flight_instances", "Instances in flight, from acceptance until their last event was handed on.",
            s => s.InFlight, (s, v) => s with { InFlight = (long)v }),
        Counter(
            "in_flight_instance_seconds", "Integral of the instances in flight; its rate is their mean number.",
            s => s.InFlightSeconds, (s, v) => s with { InFlightSeconds = v }),
        Gauge("open_tasks", "Tasks that wait for a person.", s => s.OpenTasks,
            (s, v) => s with { OpenTasks = (long)v }),
        Gauge(
            "buffered_signals", "Signals that are buffered or delayed.",
            s => s.BufferedSignals, (s, v) => s with { BufferedSignals = (long)v }),
        Gauge(
            "running_activities", "Activities that run beside the lanes.",
            s => s.RunningActivities, (s, v) => s with { RunningActivities = (long)v }),
        Gauge(
            "waiting_activities", "Activities that wait until fewer run (MaxRunningActivities).",
            s => s.WaitingActivities, (s, v) => s with { WaitingActivities = (long)v }),
        Gauge(
            "unpublished_events", "Events not yet handed to every publisher.",
            s => s.UnpublishedEvents, (s, v) => s with { UnpublishedEvents = (long)v }),
        Gauge("dead_letters", "Dead letters that wait for a replay.", s => s.DeadLetters,
            (s, v) => s with { DeadLetters = (long)v }),
        Gauge("dead_signals", "Dead letters that hold a signal.", s => s.DeadSignals,
            (s, v) => s with { DeadSignals = (long)v }),
        Counter("dead_lettered", "Dead letters made.", s => s.DeadLettered,
            (s, v) => s with { DeadLettered = (long)v }),
        Counter("instances_started", "Starts committed.", s => s.Started, (s, v) => s with { Started = (long)v }),
        Counter("instances_called", "Starts committed that a call step made.", s => s.Called,
            (s, v) => s with { Called = (long)v }),
        Counter("instances_completed", "Instances completed.", s => s.Completed,
            (s, v) => s with { Completed = (long)v }),
        Counter("instances_failed", "Instances failed.", s => s.Failed, (s, v) => s with { Failed = (long)v }),
        Counter("instances_cancelled", "Instances cancelled.", s => s.Cancelled,
            (s, v) => s with { Cancelled = (long)v }),
        Counter("instances_suspended", "Instances suspended.", s => s.Suspended,
            (s, v) => s with { Suspended = (long)v }),
        Counter("instances_resumed", "Suspended instances resumed.", s => s.Resumed,
            (s, v) => s with { Resumed = (long)v }),
        Counter(
            "instances_retried", "Failed instances that went on after a retry.", s => s.Retried,
            (s, v) => s with { Retried = (long)v }),
        Counter("signals", "Signals accepted.", s => s.Signals, (s, v) => s with { Signals = (long)v }),
        Counter(
            "signals_consumed", "Signals taken by an instance or a receiver.",
            s => s.SignalsConsumed, (s, v) => s with { SignalsConsumed = (long)v }),
        Counter(
            "signals_expired", "Signals given up: nobody took them in time, or their instance ended.",
            s => s.SignalsExpired, (s, v) => s with { SignalsExpired = (long)v }),
        Counter(
            "unreceived_signals", "Signals accepted of a name that no definition and no receiver takes.",
            s => s.UnreceivedSignals, (s, v) => s with { UnreceivedSignals = (long)v }),
        Counter(
            "commits", "Transactions committed, each with the flushes of one lane or several.",
            s => s.Commits, (s, v) => s with { Commits = (long)v }),
        Counter("flushes", "Batches of lanes committed.", s => s.Flushes, (s, v) => s with { Flushes = (long)v }),
        Counter(
            "flushed_commands", "Commands in committed flushes.",
            s => s.FlushedCommands, (s, v) => s with { FlushedCommands = (long)v }),
        Counter(
            "failed_flushes", "Flushes that failed and were repeated or bisected.",
            s => s.FailedFlushes, (s, v) => s with { FailedFlushes = (long)v }),
        Counter(
            "lane_reloads", "Lanes read again from the store, after an outage or a lost lease.",
            s => s.LaneReloads, (s, v) => s with { LaneReloads = (long)v }),
        Gauge(
            "lane_stalled_seconds", "The longest that a lane has had work and committed none of it.",
            s => s.StalledSeconds, (s, v) => s with { StalledSeconds = v }),
        Counter("rejected_commands", "Commands refused alone.", s => s.RejectedCommands,
            (s, v) => s with { RejectedCommands = (long)v }),
        Counter(
            "cross_partition_messages", "Messages between partitions of different lanes: each costs a commit more.",
            s => s.CrossPartitionMessages, (s, v) => s with { CrossPartitionMessages = (long)v }),

        Gauge(
            "owned_lanes", "Lanes that this node owns.",
            s => s.Cluster?.OwnedLaneCount, (s, v) => Node(s, n => n with { OwnedLaneCount = (int)v })),
        Gauge("live_nodes", "Live nodes on the store.", s => s.Cluster?.LiveNodes,
            (s, v) => Node(s, n => n with { LiveNodes = (int)v })),
        Counter(
            "forwarded", "Commands put into the inbox of another node's lane.",
            s => s.Cluster?.Forwarded, (s, v) => Node(s, n => n with { Forwarded = (long)v })),
        Counter(
            "answered_by_owner", "Commands that the node which owns their lane has answered itself, without its inbox.",
            s => s.Cluster?.AnsweredByOwner, (s, v) => Node(s, n => n with { AnsweredByOwner = (long)v })),
        Counter(
            "inbox_taken", "Messages taken from the inboxes of own lanes.",
            s => s.Cluster?.InboxTaken, (s, v) => Node(s, n => n with { InboxTaken = (long)v })),
        Counter(
            "lanes_lost", "Lanes whose lease ran out and that another node has taken.",
            s => s.Cluster?.LanesLost, (s, v) => Node(s, n => n with { LanesLost = (long)v })),

        Counter(
            "notifications_sent", "Notifications to other nodes that the signal driver has taken.",
            s => s.Notifications.Sent, (s, v) => s with { Notifications = s.Notifications with { Sent = (long)v } }),
        Counter(
            "notifications_coalesced", "Notifications that became part of one that was waiting.",
            s => s.Notifications.Coalesced,
            (s, v) => s with { Notifications = s.Notifications with { Coalesced = (long)v } }),
        Counter(
            "notifications_lost", "Notifications given up: the signal driver was away.",
            s => s.Notifications.Lost, (s, v) => s with { Notifications = s.Notifications with { Lost = (long)v } }),
        Counter(
            "notifications_received", "Notifications from other nodes.",
            s => s.Notifications.Received,
            (s, v) => s with { Notifications = s.Notifications with { Received = (long)v } }),
    ];

    private static EngineCounter Gauge(
        string name, string help, Func<EngineStatistics, double?> read,
        Func<EngineStatistics, double, EngineStatistics> with) =>
        new($"workflow_{name}", CounterKind.Gauge, help, read, with);

    private static EngineCounter Counter(
        string name, string help, Func<EngineStatistics, double?> read,
        Func<EngineStatistics, double, EngineStatistics> with) =>
        new($"workflow_{name}_total", CounterKind.Counter, help, read, with);

    private static EngineStatistics Node(
        EngineStatistics statistics, Func<ClusterStatistics, ClusterStatistics> with) =>
        statistics with { Cluster = with(statistics.Cluster ?? NoNode) };
}
