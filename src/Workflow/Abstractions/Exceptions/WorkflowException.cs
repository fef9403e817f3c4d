namespace Workflow.Abstractions.Exceptions;

/// <summary>The base of every error the engine reports to a caller.</summary>
public abstract class WorkflowException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>A stable, kebab-case name of the kind of error, e.g. <c>instance-not-found</c>.</summary>
    public abstract string Code { get; }
}
