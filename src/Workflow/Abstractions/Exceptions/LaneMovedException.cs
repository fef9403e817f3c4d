namespace Workflow.Abstractions.Exceptions;

/// <summary>
/// The lane now belongs to another node. Nothing of the command was or will be committed on this node.
/// </summary>
public sealed class LaneMovedException(int lane, Exception? inner = null)
    : WorkflowException(
        $"Lane {lane} has moved to another node; nothing of the command was committed. Send it again.", inner)
{
    public override string Code => "lane-moved";
}
