using Workflow.Abstractions;

namespace Workflow.WebService.Metrics;

/// <summary>The engine's counters.</summary>
internal static class EngineMetrics
{
    public static void Write(MetricsPage page, EngineStatistics engine)
    {
        page.Single("workflow_lanes", "gauge", "Lanes of the engine.", engine.Lanes);
        page.Single("workflow_pending_commands", "gauge", "Commands accepted and not yet acknowledged.", engine.PendingCommands);
        page.Single("workflow_live_instances", "gauge", "Instances that are not over.", engine.LiveInstances);
        page.Single("workflow_in_flight_instances", "gauge", "Instances in flight, from acceptance until their last event was handed on.", engine.InFlight);
        page.Single("workflow_in_flight_instance_seconds_total", "counter", "Integral of the instances in flight; its rate is their mean number.", engine.InFlightSeconds);
        page.Single("workflow_open_tasks", "gauge", "Tasks that wait for a person.", engine.OpenTasks);
        page.Single("workflow_buffered_signals", "gauge", "Signals that are buffered or delayed.", engine.BufferedSignals);
        page.Single("workflow_unpublished_events", "gauge", "Events not yet handed to every publisher.", engine.UnpublishedEvents);
        page.Single("workflow_dead_letters", "gauge", "Dead letters that wait for a replay.", engine.DeadLetters);
        page.Single("workflow_dead_signals", "gauge", "Dead letters that hold a signal.", engine.DeadSignals);
        page.Single("workflow_dead_lettered_total", "counter", "Dead letters made.", engine.DeadLettered);
        page.Single("workflow_instances_started_total", "counter", "Starts committed.", engine.Started);
        page.Single("workflow_instances_called_total", "counter", "Starts committed that a call step made.", engine.Called);
        page.Single("workflow_instances_completed_total", "counter", "Instances completed.", engine.Completed);
        page.Single("workflow_instances_failed_total", "counter", "Instances failed.", engine.Failed);
        page.Single("workflow_instances_cancelled_total", "counter", "Instances cancelled.", engine.Cancelled);
        page.Single("workflow_signals_total", "counter", "Signals accepted.", engine.Signals);
        page.Single("workflow_signals_consumed_total", "counter", "Signals taken by an instance or a receiver.", engine.SignalsConsumed);
        page.Single("workflow_signals_expired_total", "counter", "Signals given up.", engine.SignalsExpired);
        page.Single("workflow_flushes_total", "counter", "Flushes committed.", engine.Flushes);
        page.Single("workflow_flushed_commands_total", "counter", "Commands in committed flushes.", engine.FlushedCommands);
        page.Single("workflow_failed_flushes_total", "counter", "Flushes that failed and were repeated or bisected.", engine.FailedFlushes);
        page.Single("workflow_rejected_commands_total", "counter", "Commands refused alone.", engine.RejectedCommands);
        page.Single("workflow_cross_partition_messages_total", "counter", "Messages between partitions of different lanes.", engine.CrossPartitionMessages);
        if (engine.Cluster is { } node)
        {
            page.Single("workflow_owned_lanes", "gauge", "Lanes that this node owns.", node.OwnedLanes.Count);
            page.Single("workflow_live_nodes", "gauge", "Live nodes on the store.", node.LiveNodes);
            page.Single("workflow_forwarded_total", "counter", "Commands put into the inbox of another node's lane.", node.Forwarded);
            page.Single("workflow_inbox_taken_total", "counter", "Messages taken from the inboxes of own lanes.", node.InboxTaken);
            page.Single("workflow_lanes_lost_total", "counter", "Lanes whose lease ran out and that another node has taken.", node.LanesLost);
        }
        page.Single("workflow_notifications_sent_total", "counter", "Notifications to other nodes that the signal driver has taken.", engine.Notifications.Sent);
        page.Single("workflow_notifications_coalesced_total", "counter", "Notifications that became part of one that was waiting.", engine.Notifications.Coalesced);
        page.Single("workflow_notifications_lost_total", "counter", "Notifications given up: the signal driver was away.", engine.Notifications.Lost);
        page.Single("workflow_notifications_received_total", "counter", "Notifications from other nodes.", engine.Notifications.Received);
    }
}
