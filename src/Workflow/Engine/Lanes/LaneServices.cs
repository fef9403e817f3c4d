using Microsoft.Extensions.Logging;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Activities;
using Workflow.Engine.Configuration;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Flush;

namespace Workflow.Engine.Lanes;

internal sealed class LaneServices
{
    public required WorkflowEngineOptions Options { get; init; }
    public required IWorkflowStore Store { get; init; }
    public required TimeProvider Time { get; init; }
    public required EngineRuntime Runtime { get; init; }

    /// <summary>Commits for all lanes; null where the store commits each lane by itself.</summary>
    public required Committer? Committer { get; init; }

    public required ILogger Logger { get; init; }
    public required Telemetry Telemetry { get; init; }
    public required IReadOnlyDictionary<string, Activity> Activities { get; init; }
    public required IReadOnlyDictionary<string, SignalReceiver> Receivers { get; init; }
    public required Func<string, int, WorkflowDefinition> DefinitionOf { get; init; }

    /// <summary>A registered definition, the newest where no version is given; null when there is none.</summary>
    public required Func<string, int?, WorkflowDefinition?> FindDefinition { get; init; }

    /// <summary>The definition of which a signal that nobody waits for starts an instance; null for none.</summary>
    public required Func<string, WorkflowDefinition?> FindStartedBy { get; init; }

    /// <summary>Loads definitions that another node may have registered.</summary>
    public required Func<IEnumerable<(string Name, int Version)>, CancellationToken, ValueTask> EnsureDefinitions { get; init; }

    /// <summary>Whether the node certainly holds its leases: memory may be answered from without asking the store.</summary>
    public required Func<bool> IsLeaseFresh { get; init; }

    /// <summary>Reports that the lane of this number has ended: another node has it, or it broke.</summary>
    public required Action<int> LaneLost { get; init; }

    /// <summary>Routes a committed message to the lane of its partition.</summary>
    public required Action<MessageRow> Route { get; init; }

    /// <summary>Bounds the activities that run on the node.</summary>
    public required ActivitySlots ActivitySlots { get; init; }

    /// <summary>Reports progress, so that waiters for idleness check again.</summary>
    public required Action Progressed { get; init; }

    /// <summary>A new UUID version 7.</summary>
    public Guid NewId() => Runtime.NewId(Time.GetUtcNow());
}

/// <summary>Maintains the store of an engine and removes what is over, on one node.</summary>
/// <param name="isOwner">Whether this node is the one: the owner of the first lane.</param>
internal sealed class StoreMaintenance(
    IWorkflowStore store, RetentionOptions retention, TimeProvider time, ILogger logger, Func<bool> isOwner)
{
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(5), time);
        for (var tick = 1; await timer.WaitForNextTickAsync(cancellationToken); tick++)
        {
            if (!isOwner())
            {
                // One node is enough.
                continue;
            }

            try
            {
                await store.MaintainAsync(cancellationToken);
                if (tick % 12 == 0)
                {
                    await TrimOnceAsync(cancellationToken);
                }
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                Log.TrimFailed(logger, e);
            }
        }
    }

    /// <summary>Portion by portion, for a minute at most: then what was put off meanwhile comes first again.</summary>
    private async Task TrimOnceAsync(CancellationToken cancellationToken)
    {
        var (now, since, kept) = (time.GetUtcNow(), time.GetTimestamp(), retention);
        var request = new TrimRequest
        {
            EventsBeforeUtc = now - kept.Events,
            KeysBeforeUtc = now - kept.Keys,
            ReplayedBeforeUtc = now - kept.DeadLetters,
            FinishedBeforeUtc = now - kept.FinishedInstances,
            Limit = kept.Portion,
        };
        while (await store.TrimAsync(request, cancellationToken) && time.GetElapsedTime(since) < TimeSpan.FromMinutes(1))
        {
            await Task.Delay(kept.Pause, time, cancellationToken);
        }
    }
}
