namespace Workflow.Abstractions.Exceptions;

/// <summary>The store refused this one command; others were not affected.</summary>
public sealed class CommandRejectedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public CommandRejectedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <inheritdoc/>
    public override string Code => "command-rejected";
}
