namespace Workflow.Abstractions.Exceptions;

/// <summary>A lane belongs to another node now; nothing of the command was or will be committed here.</summary>
public sealed class LaneMovedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public LaneMovedException(int lane, Exception? inner = null)
        : base($"Lane {lane} has moved to another node; nothing of the command was committed. Send it again.", inner)
    {
    }

    /// <inheritdoc/>
    public override string Code => "lane-moved";
}
