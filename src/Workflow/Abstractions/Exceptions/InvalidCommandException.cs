namespace Workflow.Abstractions.Exceptions;

/// <summary>An argument of a command is out of its range.</summary>
public sealed class InvalidCommandException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public InvalidCommandException(string parameter, string message)
        : base(message)
    {
        Parameter = parameter;
    }

    /// <summary>The argument.</summary>
    public string Parameter { get; }

    /// <inheritdoc/>
    public override string Code => "invalid-command";
}
