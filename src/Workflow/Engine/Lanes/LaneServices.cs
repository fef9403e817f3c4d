using Workflow.Abstractions.Activities;
using Workflow.Engine.Activities;

namespace Workflow.Engine.Lanes;

internal sealed class LaneServices
{
    private static readonly TimeSpan MinStoreTimeout = TimeSpan.FromSeconds(5);

    public required WorkflowEngineOptions Options { get; init; }
    public required IWorkflowStore Store { get; init; }
    public required TimeProvider Time { get; init; }
    public required EngineRuntime Runtime { get; init; }

    /// <summary>Commits for all lanes; null if the store commits each lane separately.</summary>
    public required Committer? Committer { get; init; }

    public required ILogger Logger { get; init; }
    public required Telemetry Telemetry { get; init; }
    public required IReadOnlyDictionary<string, Activity> Activities { get; init; }
    public required IReadOnlyDictionary<string, SignalReceiver> Receivers { get; init; }
    public required DefinitionRegistry Definitions { get; init; }

    /// <summary>
    /// Whether this node certainly holds the lease of the lane, so that memory can be read without asking the store.
    /// </summary>
    public required Func<int, bool> IsLeaseFresh { get; init; }

    /// <summary>Reports that a lane has ended because another node owns it or because it failed.</summary>
    public required Action<int> LaneLost { get; init; }

    public required Action<Message> Route { get; init; }

    public required ActivitySlots ActivitySlots { get; init; }

    /// <summary>Reports progress, so that idle conditions are checked again.</summary>
    public required Action Progressed { get; init; }

    /// <summary>
    /// How long callers wait for a store that does not answer: the outage tolerance, but at least 5 s, so that a short
    /// pause is not an outage.
    /// </summary>
    public TimeSpan StoreTimeout =>
        Options.OutageTolerance > MinStoreTimeout ? Options.OutageTolerance : MinStoreTimeout;

    public SeenRequests SeenRequests { get; } = new();

    public ActiveKeys ActiveKeys { get; } = new();

    public Guid NewId() => Runtime.NewId(Time.GetUtcNow());
}
