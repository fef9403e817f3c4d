namespace Workflow.Diagrams.Graphs;

/// <summary>How many instances stand at a step.</summary>
public readonly record struct NodeCounts(int Active, int Waiting, int Failed)
{
    public int Total => Active + Waiting + Failed;

    /// <summary>The state that asks for attention first.</summary>
    public NodeState Worst => this switch
    {
        { Failed: > 0 } => NodeState.Failed,
        { Active: > 0 } => NodeState.Active,
        { Waiting: > 0 } => NodeState.Waiting,
        _ => NodeState.None,
    };
}
