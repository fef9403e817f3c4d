namespace Workflow.Abstractions.Exceptions;

/// <summary>The store refused this one command; others were not affected.</summary>
public sealed class CommandRejectedException(string message, Exception? inner = null)
    : WorkflowException(message, inner)
{
    public override string Code => "command-rejected";
}
