namespace Workflow.Abstractions.Exceptions;

/// <summary>A node works with another number of lanes than the live nodes of the store.</summary>
public sealed class LaneCountMismatchException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public LaneCountMismatchException(int wanted, int current, string nodes)
        : base($"This node is set to {wanted} lanes; the live nodes ({nodes}) work with {current}. Set Lanes to {current}, or stop them first: the only node may change the number.")
    {
        Current = current;
    }

    /// <summary>How many lanes the live nodes work with.</summary>
    public int Current { get; }

    /// <inheritdoc/>
    public override string Code => "lane-count-mismatch";
}
