namespace Workflow.Abstractions.Exceptions;

/// <summary>No step and no receiver takes signals of this name, and the engine is configured to refuse them.</summary>
public sealed class SignalUnreceivedException(string name) : WorkflowException(
    $"No registered definition and no receiver of the service takes a signal '{name}'; it was not accepted. Correct "
        + "the name, register the definition that waits for it, or allow such signals (Signals:RefuseUnreceived).")
{
    public string Name { get; } = name;
    public override string Code => "signal-unreceived";
}
