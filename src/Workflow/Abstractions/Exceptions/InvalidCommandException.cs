namespace Workflow.Abstractions.Exceptions;

/// <summary>An argument of a command is out of its range.</summary>
public sealed class InvalidCommandException(string parameter, string message) : WorkflowException(message)
{
    public string Parameter { get; } = parameter;
    public override string Code => "invalid-command";
}
