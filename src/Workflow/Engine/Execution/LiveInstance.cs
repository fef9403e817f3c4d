using System.Text;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;

namespace Workflow.Engine.Execution;

/// <summary>An instance in a lane's memory. Only the lane touches it.</summary>
internal sealed class LiveInstance
{
    public required Guid Id { get; init; }

    public required short Partition { get; init; }

    public required WorkflowDefinition Definition { get; init; }

    public required string? CorrelationKey { get; init; }

    /// <summary>The instance that called this one; null for one that was started from outside.</summary>
    public Guid? ParentId { get; init; }

    /// <summary>How many calls lie above it; 0 without a parent.</summary>
    public int Depth { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }

    public required Dictionary<string, Value> Variables { get; init; }

    public DateTimeOffset UpdatedUtc { get; set; }

    /// <summary>Revision of the last sealed batch that held the instance; 0 before the first.</summary>
    public long Revision { get; set; }

    public InstanceState State { get; set; } = InstanceState.Running;

    public List<Wait> Waits { get; init; } = [];

    public List<ForkScope> Scopes { get; init; } = [];

    public int LastScope { get; set; }

    /// <summary>Sub-workflows called so far.</summary>
    public int Children { get; set; }

    public Value Output { get; set; }

    public InstanceError? Error { get; set; }

    /// <summary>Lines written so far; past a limit only a note is.</summary>
    public int HistoryLines { get; set; }

    /// <summary>History of this batch, not yet sealed.</summary>
    public StringBuilder History { get; } = new();

    /// <summary>Signals sent to this instance that no step has taken yet, oldest first.</summary>
    public List<SignalRow> Inbox { get; } = [];

    /// <summary>True while the present batch holds the instance.</summary>
    public bool IsDirty { get; set; }

    public bool IsFinished => State is InstanceState.Completed or InstanceState.Failed or InstanceState.Cancelled;

    /// <summary>The state while no token moves: running as long as an activity is called.</summary>
    public InstanceState StateAtRest => Waits.Exists(w => w.IsActivityUnderWay) ? InstanceState.Running : InstanceState.Waiting;

    /// <summary>Sets a variable, where a step names one for its result.</summary>
    public void Assign(string? variable, Value value)
    {
        if (variable is not null)
        {
            Variables[variable] = value;
        }
    }

    public Wait? FindWait(Guid id) => Waits.Find(w => w.Id == id);
}
