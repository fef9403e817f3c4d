namespace Workflow.Abstractions.Exceptions;

/// <summary>A node works with another number of lanes than the live nodes of the store.</summary>
public sealed class LaneCountMismatchException(int wanted, int current, string nodes) : WorkflowException(
    $"This node is set to {wanted} lanes; the live nodes ({nodes}) work with {current}. "
    + $"Set Lanes to {current}, or stop them first: the only node may change the number.")
{
    public int Current { get; } = current;

    public override string Code => "lane-count-mismatch";
}
