using Workflow.Abstractions.Activities;
using Workflow.Engine.Activities;

namespace Workflow.Engine.Lanes;

internal sealed class LaneServices
{
    private static readonly TimeSpan ShortestPatience = TimeSpan.FromSeconds(5);

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

    /// <summary>Whether the node certainly holds the lease of the lane: memory may be answered from without asking the store.</summary>
    public required Func<int, bool> IsLeaseFresh { get; init; }

    /// <summary>Reports that the lane of this number has ended: another node has it, or it broke.</summary>
    public required Action<int> LaneLost { get; init; }

    /// <summary>Routes a committed message to the lane of its partition.</summary>
    public required Action<Message> Route { get; init; }

    /// <summary>Bounds the activities that run on the node.</summary>
    public required ActivitySlots ActivitySlots { get; init; }

    /// <summary>Reports progress, so that waiters for idleness check again.</summary>
    public required Action Progressed { get; init; }

    /// <summary>How long callers wait for a store that does not answer: as for one that is gone, but no hiccup is an outage.</summary>
    public TimeSpan Patience => Options.OutageTolerance > ShortestPatience ? Options.OutageTolerance : ShortestPatience;

    /// <summary>What other nodes have asked of this one.</summary>
    public SeenRequests SeenRequests { get; } = new();

    /// <summary>The keys of what its lanes are at work on.</summary>
    public KeysAtWork KeysAtWork { get; } = new();

    /// <summary>A new UUID version 7.</summary>
    public Guid NewId() => Runtime.NewId(Time.GetUtcNow());
}

/// <summary>Maintains the store of an engine and removes what is over, on one node.</summary>
/// <param name="isOwner">Whether this node is the one: the owner of the first lane.</param>
/// <param name="flushes">How many it has committed so far.</param>
internal sealed class StoreMaintenance(
    IWorkflowStore store, RetentionOptions retention, TimeProvider time, ILogger logger, Func<bool> isOwner, Func<long> flushes)
{
    private static readonly TimeSpan Upkeep = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Idle = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Removes a portion at a time, at the pace at which portions fill: after a full one the pause is half as long, after another twice. So
    /// what a minute leaves is removed over a minute, and no second pays for all of it. What cannot fill a portion waits for a minute.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var shortest = Math.Max(retention.Pause.Ticks, TimeSpan.TicksPerMillisecond);
        var longest = Math.Max(retention.Pause.Ticks, Upkeep.Ticks);
        var (pause, maintained, trimmed) = (longest, time.GetTimestamp(), time.GetTimestamp());
        var (isFull, seen) = (false, flushes());
        while (true)
        {
            await Task.Delay(TimeSpan.FromTicks(pause), time, cancellationToken);
            if (!isOwner())
            {
                // One node is enough.
                pause = longest;
                continue;
            }

            try
            {
                if (time.GetElapsedTime(maintained) >= Upkeep)
                {
                    maintained = time.GetTimestamp();
                    await store.MaintainAsync(cancellationToken);
                }

                if (isFull || flushes() - seen >= retention.Portion || time.GetElapsedTime(trimmed) >= Idle)
                {
                    (seen, trimmed) = (flushes(), time.GetTimestamp());
                    isFull = await store.TrimAsync(Request(), cancellationToken);
                }

                pause = Math.Clamp(isFull ? pause / 2 : pause * 2, shortest, longest);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                (pause, isFull) = (longest, false);
                Log.TrimFailed(logger, e);
            }
        }
    }

    private TrimRequest Request()
    {
        var now = time.GetUtcNow();
        return new()
        {
            EventsBeforeUtc = now - retention.Events,
            KeysBeforeUtc = now - retention.Keys,
            ReplayedBeforeUtc = now - retention.DeadLetters,
            FinishedBeforeUtc = now - retention.FinishedInstances,
            Limit = retention.Portion,
        };
    }
}
